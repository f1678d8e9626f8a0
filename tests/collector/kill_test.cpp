// Programs that are killed at random points: what was handed over before the last flush is in the trace, without a hole, and
// is what a run to the end has there. GPUTRACE_KILL_TRIES: how often, see tests/tools/kill_tally.sh.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "collector/spool_reader.h"
#include "tests/collector/fake_cupti/fake_cupti.h"
#include "tests/collector/recorded_child.h"

using namespace gputrace;
using namespace gputrace::tests;

namespace {

constexpr int kDefaultTries = 24;
constexpr const char* kFlushPeriodMs = "20";
constexpr int kMostLaunches = 1'000'000;

struct Unmap {
  void operator()(const FakeCuptiLog* log) const { munmap(const_cast<FakeCuptiLog*>(log), sizeof *log); }
};
using Log = std::unique_ptr<const FakeCuptiLog, Unmap>;

Log open_log(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(FakeCuptiLog), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return Log(memory != MAP_FAILED ? static_cast<const FakeCuptiLog*>(memory) : nullptr);
}

std::uint64_t handed_over_before(const FakeCuptiLog& log, std::int64_t realtime_ns) {
  std::uint64_t kernels = 0;
  for (std::uint64_t i = 0; i < log.entries && log.entry[i].realtime_ns <= realtime_ns; ++i) kernels = log.entry[i].kernels;
  return kernels;
}

void run_and_kill(const Environment& environment, std::chrono::microseconds after) {
  std::vector<std::string> variables, arguments{child_program(), "numbered", std::to_string(kMostLaunches)};
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (auto& text : arguments) argv.push_back(text.data());
  for (auto& text : variables) envp.push_back(text.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  pid_t pid = 0;
  REQUIRE(posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), envp.data()) == 0);
  std::this_thread::sleep_for(after);
  kill(pid, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFSIGNALED(status));
}

struct Tally {
  int tries = 0, without_spool = 0, without_kernels = 0, with_let_go = 0;
  std::uint64_t kernels = 0, lost_before_flush = 0, holes = 0, most_after_flush = 0;
};

// The kernels' numbers are their correlation ids, from 1.
void check_rows(const trace::Trace& trace, const trace::Trace& whole, Tally& tally) {
  const auto& kernels = trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::int64_t number = kernels.correlation[i].value;
    if (i > 0) tally.holes += static_cast<std::uint64_t>(number - kernels.correlation[i - 1].value - 1);
    const std::size_t same = static_cast<std::size_t>(number) - 1;
    if (same >= whole.kernels.size()) continue;
    REQUIRE(kernels.end_ns[i] - kernels.start_ns[i] == whole.kernels.end_ns[same] - whole.kernels.start_ns[same]);
    REQUIRE(kernels.device[i] == whole.kernels.device[same]);
    REQUIRE(kernels.grid[i] == whole.kernels.grid[same]);
    REQUIRE(trace.text(kernels.name[i]) == whole.text(whole.kernels.name[same]));
  }
}

void try_once(std::chrono::microseconds after, bool ring, const trace::Trace& whole, Tally& tally) {
  const TemporaryFolder spools;
  const auto log_file = spools.path() / "log";
  Environment environment{{"CUDA_INJECTION64_PATH", collector_library()}, {"NVTX_INJECTION64_PATH", collector_library()},
                          {"GPUTRACE_SPOOL_DIR", spools.path().string()}, {"GPUTRACE_FLUSH_PERIOD_MS", kFlushPeriodMs},
                          {"FAKE_CUPTI", fake_cupti_library()},           {"FAKE_CUPTI_LOG", log_file.string()}};
  if (ring) environment.emplace_back("GPUTRACE_KEEP_BYTES", "100000");
  run_and_kill(environment, after);
  ++tally.tries;
  const Log log = open_log(log_file);
  const Recording run = convert(spools.path());
  if (!run.summary) {  // killed before its spool had a header
    ++tally.without_spool;
    return;
  }
  CHECK_FALSE(run.summary->complete);
  std::int64_t flushed_ns = 0;
  for (const auto& entry : std::filesystem::directory_iterator(spools.path())) {
    if (entry.path().extension() != spool::kSuffix) continue;
    const auto reader = collector::SpoolReader::open(entry.path());
    REQUIRE(reader);
    REQUIRE(reader->header_is_intact());
    flushed_ns = reader->header().flushed_realtime_ns;
    tally.with_let_go += reader->header().let_go_events != 0;
  }
  const auto& numbers = run.trace.kernels.correlation;
  tally.kernels += numbers.size();
  tally.without_kernels += numbers.empty();
  const std::uint64_t last = numbers.empty() ? 0 : static_cast<std::uint64_t>(numbers.back().value);
  const std::uint64_t promised = log != nullptr ? handed_over_before(*log, flushed_ns) : 0;
  tally.lost_before_flush += promised - std::min(promised, last);
  if (!ring && !numbers.empty()) tally.holes += static_cast<std::uint64_t>(numbers.front().value) - 1;
  if (log != nullptr) tally.most_after_flush = std::max(tally.most_after_flush, log->launched - std::min<std::uint64_t>(log->launched, last));
  check_rows(run.trace, whole, tally);
}

}  // namespace

TEST_CASE("Killed at random points, a program leaves all that was flushed") {
  const char* wanted = std::getenv("GPUTRACE_KILL_TRIES");
  const int tries = wanted != nullptr ? std::max(1, std::atoi(wanted)) : kDefaultTries;
  const Recording whole = record_child({"numbered", "20000"});
  REQUIRE(whole.summary);
  REQUIRE(whole.trace.kernels.size() == 20000);
  std::mt19937 random(20240229);
  Tally tally;
  for (int i = 0; i < tries; ++i) {
    const std::chrono::microseconds after(std::uniform_int_distribution<int>(0, i % 4 == 0 ? 30'000 : 400'000)(random));
    try_once(after, i % 3 == 2, whole.trace, tally);
  }
  std::cout << "kill tally: " << tally.tries << " tries, " << tally.kernels << " kernels kept, lost before the last flush: "
            << tally.lost_before_flush << ", holes: " << tally.holes << "; killed before the spool was there: "
            << tally.without_spool << ", before the first kernel was flushed: " << tally.without_kernels
            << ", with segments let go: " << tally.with_let_go << "; most lost after the last flush: "
            << tally.most_after_flush << "\n";
  CHECK(tally.lost_before_flush == 0);
  CHECK(tally.holes == 0);
  CHECK(tally.kernels > 0);
}
