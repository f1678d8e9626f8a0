// LINKS: gputrace_trace SQLite::SQLite3 fmt::fmt
// Rows written a second, kernel and API call in turn as a trace has them, and the ratio to one prepared
// INSERT a row; rows read a second. Limits: 1 M rows/s written, 1.5 M rows/s read, on one core.
//   trace_writer_bench [pairs of rows]
#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "trace/export_schema.h"
#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

namespace {

using namespace gputrace;
using namespace gputrace::trace;

constexpr std::uint64_t kPid = std::uint64_t{4321} << 24;
constexpr int kNames = 400;

struct Times {
  double wall_s = 0, cpu_s = 0;
};

template <class Work>
Times timed(Work work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

KernelRow kernel(int i) {
  KernelRow row;
  row.start_ns = std::int64_t{1'700'000'000'000'000'000} + i * std::int64_t{10'000};
  row.end_ns = row.start_ns + 8'000;
  row.device = i % 4, row.context = 1, row.stream = 7 + i % 3;
  row.correlation = i;
  row.global_pid = kPid;
  row.name = 1 + i % kNames, row.short_name = 1 + (i + 7) % kNames;
  row.grid = {1024, 2, 1}, row.block = {256, 1, 1};
  row.registers_per_thread = 96;
  row.dynamic_shared_bytes = 49152;
  row.grid_id = i;
  row.launch_type = 1;
  return row;
}

ApiCallRow call(int i) {
  const std::int64_t start_ns = std::int64_t{1'700'000'000'000'000'000} + i * std::int64_t{10'000} - 5'000;
  return {.start_ns = start_ns,
          .end_ns = start_ns + 3'000,
          .correlation = i,
          .global_tid = kPid | 4321,
          .name = 3};
}

enum class Rows { pairs, kernels };

bool write_bulk(const std::filesystem::path& path, int count, Rows rows) {
  auto writer = TraceWriter::create(path, true);
  if (!writer) return false;
  for (int i = 0; i < kNames; ++i) writer->intern(fmt::format("kernel {}", i));
  for (int i = 0; i < count; ++i) {
    writer->add(kernel(i));
    if (rows == Rows::pairs) writer->add(call(i));
  }
  return writer->finish({.producer = "bench 1"}).has_value();
}

// What the bulk path is compared with: the same columns, one step a row.
void write_plain(const std::filesystem::path& path, int pairs) {
  std::filesystem::remove(path);
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  const auto execute = [database](const std::string& sql) {
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  };
  execute(
      "PRAGMA page_size=32768; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA "
      "locking_mode=EXCLUSIVE;"
      "PRAGMA cache_size=-16384; BEGIN");
  for (const Table table : {Table::kernels, Table::api_calls}) {
    execute(fmt::format("CREATE TABLE {}({})", definition(table).name, definition(table).columns));
  }
  sqlite3_stmt *kernels = nullptr, *calls = nullptr;
  sqlite3_prepare_v2(
      database,
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId, "
      "globalPid,"
      "demangledName, shortName, launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, blockX, "
      "blockY,"
      "blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId,"
      "sharedMemoryExecuted) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      -1, &kernels, nullptr);
  sqlite3_prepare_v2(
      database,
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId,"
      "returnValue) VALUES(?,?,?,?,?,?,?)",
      -1, &calls, nullptr);
  const auto insert = [](sqlite3_stmt* statement, std::initializer_list<std::int64_t> values) {
    int parameter = 0;
    for (const std::int64_t value : values) sqlite3_bind_int64(statement, ++parameter, value);
    sqlite3_step(statement);
    sqlite3_reset(statement);
  };
  for (int i = 0; i < pairs; ++i) {
    const KernelRow k = kernel(i);
    const ApiCallRow c = call(i);
    insert(kernels, {k.start_ns,
                     k.end_ns,
                     k.device,
                     k.context,
                     k.stream,
                     k.correlation,
                     static_cast<std::int64_t>(k.global_pid),
                     k.name,
                     k.short_name,
                     k.launch_type,
                     k.cache_config,
                     k.registers_per_thread,
                     k.grid.x,
                     k.grid.y,
                     k.grid.z,
                     k.block.x,
                     k.block.y,
                     k.block.z,
                     k.static_shared_bytes,
                     k.dynamic_shared_bytes,
                     0,
                     0,
                     k.grid_id,
                     0});
    insert(calls,
           {c.start_ns, c.end_ns, 0, static_cast<std::int64_t>(c.global_tid), c.correlation, c.name, 0});
  }
  execute("COMMIT");
  sqlite3_finalize(kernels);
  sqlite3_finalize(calls);
  sqlite3_close(database);
}

void report(const char* what, double rows, Times best, double limit) {
  fmt::print("{:<28} {:6.2f} M rows/s of CPU time, {:6.2f} M rows/s of wall time", what,
             rows / best.cpu_s / 1e6, rows / best.wall_s / 1e6);
  if (limit > 0) fmt::print(", {:.2f} x the limit of {} M", rows / best.cpu_s / limit, limit / 1e6);
  fmt::print("\n");
}

template <class Work>
Times best_of(int tries, Work work) {
  Times best{1e9, 1e9};
  for (int i = 0; i < tries; ++i) {
    const Times times = timed(work);
    if (times.cpu_s < best.cpu_s) best = times;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kTries = 3;
  const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 500'000;
  const double rows = 2.0 * pairs;
  const std::filesystem::path folder = GPUTRACE_BINARY_DIR;
  const auto bulk = folder / "bench_bulk.sqlite", plain = folder / "bench_plain.sqlite",
             kernels = folder / "bench_kernels.sqlite";
  bool ok = true;
  const Times bulk_times = best_of(kTries, [&] { ok = write_bulk(bulk, pairs, Rows::pairs) && ok; });
  const Times plain_times = best_of(kTries, [&] { write_plain(plain, pairs); });
  ok = write_bulk(kernels, pairs, Rows::kernels) && ok;
  const auto read = [&ok](const std::filesystem::path& path, double expected_rows) {
    return best_of(kTries, [&] {
      const auto trace = read_trace(path);
      ok = ok && trace &&
           static_cast<double>(trace->kernels.size() + trace->api_calls.size()) == expected_rows;
    });
  };
  const Times read_times = read(bulk, rows), kernel_times = read(kernels, pairs);
  report("write, bulk", rows, bulk_times, 1e6);
  report("write, one INSERT a row", rows, plain_times, 0);
  report("read", rows, read_times, 1.5e6);
  report("read, kernels only", pairs, kernel_times, 1.5e6);
  fmt::print("bulk to plain: {:.2f} x; {:.1f} bytes a row\n", plain_times.cpu_s / bulk_times.cpu_s,
             static_cast<double>(std::filesystem::file_size(bulk)) / rows);
  std::filesystem::remove(bulk);
  std::filesystem::remove(plain);
  std::filesystem::remove(kernels);
  return ok ? 0 : 1;
}
