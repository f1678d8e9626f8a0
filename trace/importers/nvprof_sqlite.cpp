#include "trace/importer.h"
#include "trace/nvprof_read.h"

namespace gputrace::trace {
namespace {

bool is_nvprof_sqlite(const SniffedFile& file) {
  return file.has_table("StringTable") && file.has_table("Version");
}

std::int64_t rows_estimate(const SqliteFile& file) {
  std::int64_t rows = 0;
  for (const std::string& table : file.tables())
    rows += std::min(file.rows_estimate(table), INT64_MAX / 4096);
  return rows;
}

Result<std::string> version(NvprofRead& read) {
  static constexpr std::string_view kColumns[] = {"version"};
  std::int64_t number = 0;
  const auto done =
      for_each_row(read, "Version", kColumns, [&](const TableCursor& cursor) { number = cursor.integer(0); });
  if (!done) return tl::unexpected(done.error());
  return std::to_string(number);
}

Result<Trace> read_nvprof_sqlite(const SniffedFile& sniffed, const ReadOptions& options) {
  auto file = SqliteFile::open(sniffed.path);
  if (!file) return tl::unexpected(std::move(file.error()));
  Trace trace;
  ReadProgress progress{options, rows_estimate(*file)};
  NvprofRead read{.file = *file, .trace = trace, .progress = progress};
  const auto found = version(read);
  if (!found) return tl::unexpected(found.error());
  trace.metadata.file = sniffed.path.string();
  trace.metadata.producer = "nvprof";
  trace.metadata.schema_version = *found;
  for (const auto part : {read_nvprof_strings, read_nvprof_machine, read_nvprof_api_tables,
                          read_nvprof_device_tables, read_nvprof_markers}) {
    if (auto done = part(read); !done) return tl::unexpected(std::move(done.error()));
  }
  resolve_processes_by_correlation(trace);
  sort_by_start(trace);
  return trace;
}

}  // namespace

extern const Importer nvprof_sqlite;
constinit const Importer nvprof_sqlite{"nvprof database", is_nvprof_sqlite, read_nvprof_sqlite};

}  // namespace gputrace::trace
