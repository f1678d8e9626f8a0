// LINKS: gputrace_trace SQLite::SQLite3 fmt::fmt
// Loading a trace file of our own: 3 million events/s on one core is the limit, in CPU time (wall time beside it). Also as a ratio to a
// bare sqlite3_step over the same columns, and the peak of memory. load_bench [EVENTS...] writes a file of each size to $TMPDIR first;
// load_bench --shuffled writes rows in blocks that are not sorted by time, as a profiler's buffers come; --no-processes leaves out the
// process of device rows, as older exports do. Every read runs in a process of its own: memory that an earlier
// one left would be at hand again, and a process's peak never falls. The best of three is taken.
#include <sqlite3.h>
#include <sys/mman.h>
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

struct Measured {
  double wall_s = 1e9, cpu_s = 1e9, peak_bytes = 0;
  std::size_t rows = 0;
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

// `work` gives the rows read.
template <class Work>
Measured measured(Work work) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu_s = cpu_now_s();
  Measured measured;
  measured.rows = work();
  measured.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  measured.cpu_s = cpu_now_s() - cpu_s;
  measured.peak_bytes = peak_bytes();
  return measured;
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

// The best of some rounds; no rows: it failed.
template <class Work>
Measured best_in_children(Work work) {
  auto* shared = static_cast<Measured*>(mmap(nullptr, sizeof(Measured), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Measured best;
  for (int round = 0; shared != MAP_FAILED && round < kRounds; ++round) {
    const bool is_done = in_child([&] {
      *shared = measured(work);
      return shared->rows > 0;
    });
    if (!is_done) return {};
    if (shared->cpu_s < best.cpu_s) best = *shared;
  }
  return best;
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

std::size_t read_all(const std::filesystem::path& path) {
  const auto trace = trace::read_trace(path);
  if (!trace) fmt::print(stderr, "{}\n", trace.error().line());
  return trace ? events_of(*trace) : 0;
}

bool report(const std::filesystem::path& path) {
  const Measured reader = best_in_children([&path] { return read_all(path); }), step = best_in_children([&path] { return step_all(path); });
  const auto rate = [](const Measured& measured, double s) { return static_cast<double>(measured.rows) / s; };
  const auto events = static_cast<double>(reader.rows);
  fmt::print("{} events, {:.1f} bytes of file each\n", reader.rows, static_cast<double>(std::filesystem::file_size(path)) / events);
  fmt::print("  read_trace     {:.2f} M events/s of CPU time ({:.2f} M/s of wall time), {:.2f} of the limit; {:.0f} bytes an event at peak\n", rate(reader, reader.cpu_s) / 1e6,
             rate(reader, reader.wall_s) / 1e6, rate(reader, reader.cpu_s) / kLimitEventsPerS, reader.peak_bytes / events);
  fmt::print("  sqlite3_step   {:.2f} M rows/s of CPU time ({:.2f} M/s of wall time), nothing kept; read_trace has {:.2f} times its speed\n", rate(step, step.cpu_s) / 1e6,
             rate(step, step.wall_s) / 1e6, rate(reader, reader.cpu_s) / rate(step, step.cpu_s));
  return reader.rows > 0 && step.rows > 0;
}

bool measure(std::size_t events, const Options& options) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("load_bench_{}.sqlite", getpid());
  const bool is_done = in_child([&] { return write_file(path, events, options); }) && report(path);
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
