// LINKS: gputrace_trace SQLite::SQLite3 fmt::fmt
// Loading a trace file of our own: 3 million events/s on one core is the limit, in CPU time (wall time beside it). Also as a ratio to a
// bare sqlite3_step over the same columns, and the peak of memory. load_bench [EVENTS...] writes a file of each size to $TMPDIR first;
// load_bench --shuffled writes rows in blocks that are not sorted by time, as a profiler's buffers come; --no-processes leaves out the
// process of device rows, as older exports do. Every part runs in a child process, since a process's peak of memory never falls.
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/training_trace.h"
#include "trace/save_trace.h"
#include "trace/trace_columns.h"
#include "trace/trace_reader.h"

namespace {

using namespace gputrace;

constexpr double kLimitEventsPerS = 3e6;
constexpr int kRounds = 3;

struct Seconds {
  double wall = 1e9, cpu = 1e9;
};

double cpu_now_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// The best of some rounds.
template <class Work>
Seconds seconds_of(Work work) {
  Seconds best;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu_s = cpu_now_s();
    work();
    best.wall = std::min(best.wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    best.cpu = std::min(best.cpu, cpu_now_s() - cpu_s);
  }
  return best;
}

template <class Work>
bool in_child(Work work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool is_done = work();
    std::fflush(nullptr);
    _exit(is_done ? 0 : 1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::size_t events_of(const trace::Trace& trace) {
  return trace.kernels.size() + trace.copies.size() + trace.api_calls.size() + trace.synchronizations.size() + trace.cuda_events.size() + trace.nvtx.size();
}

// Rows of a table come in blocks, and inside of a block in any order.
template <class Table>
void shuffle(Table& table) {
  constexpr std::size_t kBlockRows = 4096;
  std::mt19937 random(1);
  std::vector<std::size_t> order(table.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t first = 0; first < order.size(); first += kBlockRows)
    std::shuffle(order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), first + kBlockRows)), random);
  trace::visit_columns(table, [&order](auto& column) {
    auto shuffled = column;
    for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = column[order[i]];
    column.swap(shuffled);
  });
}

struct Options {
  bool is_shuffled = false, has_processes = true;
};

bool write_file(const std::filesystem::path& path, std::size_t events, const Options& options) {
  trace::Trace trace = bench::TrainingTrace::of_events(events);
  if (!options.has_processes) {
    for (trace::DeviceColumns* rows : {static_cast<trace::DeviceColumns*>(&trace.kernels), static_cast<trace::DeviceColumns*>(&trace.copies)})
      std::fill(rows->process.begin(), rows->process.end(), trace::ProcessIndex{-1});
  }
  if (options.is_shuffled) trace::visit_tables(trace, [](auto& table) { shuffle(table); });
  const auto saved = trace::save_trace(trace, path, true);
  if (!saved) fmt::print(stderr, "{}\n", saved.error().line());
  return saved.has_value();
}

// What the reader asks of each table.
constexpr std::string_view kDeviceColumns = "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid";
const std::string kQueries[] = {
    fmt::format("SELECT {}, demangledName, shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, "
                "staticSharedMemory, dynamicSharedMemory, graphNodeId FROM CUPTI_ACTIVITY_KIND_KERNEL", kDeviceColumns),
    fmt::format("SELECT {}, bytes, copyKind, srcKind, dstKind, srcDeviceId, dstDeviceId FROM CUPTI_ACTIVITY_KIND_MEMCPY", kDeviceColumns),
    fmt::format("SELECT {}, syncType, eventId, eventSyncId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kDeviceColumns),
    "SELECT timestamp, deviceId, contextId, streamId, correlationId, globalPid, eventId, eventSyncId FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT",
    "SELECT start, \"end\", globalTid, correlationId, nameId, eventClass, returnValue FROM CUPTI_ACTIVITY_KIND_RUNTIME",
    "SELECT start, \"end\", eventType, globalTid, domainId, category, color, text, textId FROM NVTX_EVENTS"};

std::size_t step_all(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  std::size_t rows = 0, unlikely = 0;
  if (sqlite3_open_v2(("file:" + path.string() + "?immutable=1").c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr) == SQLITE_OK) {
    for (const std::string& sql : kQueries) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
      for (; sqlite3_step(statement) == SQLITE_ROW; ++rows) {
        for (int column = 0; column < sqlite3_data_count(statement); ++column) unlikely += sqlite3_column_int64(statement, column) == INT64_MIN;
      }
      sqlite3_finalize(statement);
    }
  }
  sqlite3_close(database);
  return rows + unlikely;
}

bool measure_reader(const std::filesystem::path& path) {
  std::size_t events = 0;
  const Seconds time = seconds_of([&] {
    const auto trace = trace::read_trace(path);
    if (trace) events = events_of(*trace);
    else fmt::print(stderr, "{}\n", trace.error().line());
  });
  const double count = static_cast<double>(events), per_s = count / time.cpu;
  fmt::print("{} events, {:.1f} bytes of file each\n", events, static_cast<double>(std::filesystem::file_size(path)) / count);
  fmt::print("  read_trace     {:.2f} M events/s of CPU time ({:.2f} M/s of wall time), {:.2f} of the limit; {:.0f} bytes an event at peak\n", per_s / 1e6,
             count / time.wall / 1e6, per_s / kLimitEventsPerS, peak_bytes() / count);
  return events > 0;
}

bool measure_step(const std::filesystem::path& path) {
  std::size_t rows = 0;
  const Seconds time = seconds_of([&] { rows = step_all(path); });
  fmt::print("  sqlite3_step   {:.2f} M rows/s of CPU time ({:.2f} M/s of wall time), nothing kept\n", static_cast<double>(rows) / time.cpu / 1e6,
             static_cast<double>(rows) / time.wall / 1e6);
  return rows > 0;
}

bool measure(std::size_t events, const Options& options) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("load_bench_{}.sqlite", getpid());
  const bool is_done = in_child([&] { return write_file(path, events, options); }) && in_child([&] { return measure_reader(path); }) &&
                       in_child([&] { return measure_step(path); });
  std::error_code error;
  std::filesystem::remove(path, error);
  return is_done;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--shuffled") options.is_shuffled = true;
    else if (std::string_view(argv[i]) == "--no-processes") options.has_processes = false;
    else sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  }
  if (sizes.empty()) sizes = {3'000'000, 10'000'000};
  return std::all_of(sizes.begin(), sizes.end(), [&options](std::size_t events) { return measure(events, options); }) ? 0 : 1;
}
