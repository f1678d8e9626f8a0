#include "trace/importer.h"
#include "trace/nsys_read.h"

namespace gputrace::trace {
namespace {

constexpr std::string_view kEventTables[] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                             "CUPTI_ACTIVITY_KIND_MEMCPY",
                                             "CUPTI_ACTIVITY_KIND_MEMSET",
                                             "CUPTI_ACTIVITY_KIND_RUNTIME",
                                             "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                             "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                                             "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                             "CUPTI_ACTIVITY_KIND_OVERHEAD",
                                             "PROFILER_OVERHEAD",
                                             "NVTX_EVENTS",
                                             "StringIds"};

// An export of a run without CUDA and NVTX still has StringIds. nvprof has the same activity tables, but
// StringTable.
bool is_nsys_sqlite(const SniffedFile& file) {
  return file.has_table("StringIds") && !file.has_table("StringTable");
}

std::int64_t rows_estimate(const SqliteFile& file) {
  std::int64_t rows = 0;
  for (const std::string_view table : kEventTables)
    rows += std::min(file.rows_estimate(table), INT64_MAX / 16);
  return rows;
}

// A row of a table takes at least this much of the file.
constexpr std::uintmax_t kLeastRowBytes = 16;

Result<Trace> read_nsys_sqlite(const SniffedFile& sniffed, const ReadOptions& options) {
  auto file = SqliteFile::open(sniffed.path);
  if (!file) return tl::unexpected(std::move(file.error()));
  Trace trace;
  ReadProgress progress{options, rows_estimate(*file)};
  NsysRead read{.file = *file, .trace = trace, .progress = progress};
  std::error_code error;
  const std::uintmax_t size_bytes = std::filesystem::file_size(sniffed.path, error);
  read.reserve_limit = error ? 0 : static_cast<std::size_t>(size_bytes / kLeastRowBytes);
  read.is_own_file = file->has_table("GPUTRACE_FORMAT");

  for (const auto part : {read_nsys_metadata, read_gputrace_tables, read_nsys_strings, read_nsys_api_tables,
                          read_nsys_device_tables, read_nsys_nvtx, read_counters, read_nsys_process_names, read_nsys_gpus}) {
    if (auto done = part(read); !done) return tl::unexpected(std::move(done.error()));
  }
  if (file->has_leftover_log()) {
    trace.metadata.complete = false;
    trace.metadata.incomplete_why = "a write-ahead log or journal lies beside the file and was not read";
  }
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer nsys_sqlite;
constinit const Importer nsys_sqlite{"Nsight Systems SQLite export", is_nsys_sqlite, read_nsys_sqlite};

}  // namespace gputrace::trace
