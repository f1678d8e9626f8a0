#include "trace/trace_preview.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/sqlite_table_cursor.h"
#include "trace/thread_registry.h"

namespace gputrace::trace {
namespace {

constexpr std::int64_t kRunsOfKernels = 1000, kRunsOfCopies = 500, kRowsPerRun = 20;
constexpr std::size_t kMostNames = 2000;
constexpr std::int64_t kFarthestNs = std::int64_t{1} << 62;  // as read_trace() keeps

struct Finalize {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

class PreviewReader {
 public:
  PreviewReader(const SqliteFile& file, TracePreview& preview)
      : file_{file}, preview_{preview}, threads_{preview.trace} {}

  Result<void> read() {
    prepare("SELECT value FROM StringIds WHERE id=?", name_statement_);
    Trace& trace = preview_.trace;
    const auto kernels = read_runs(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        {"start", "end", "deviceId", "contextId", "streamId", "globalPid", "demangledName", "shortName"},
        kRunsOfKernels, trace.kernels, [&](sqlite3_stmt* row) { add_kernel(row); });
    if (!kernels) return kernels;
    trace.captured.set(static_cast<std::size_t>(Table::kernels));
    if (!file_.has_table("CUPTI_ACTIVITY_KIND_MEMCPY")) return {};
    trace.captured.set(static_cast<std::size_t>(Table::copies));
    return read_runs(
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        {"start", "end", "deviceId", "contextId", "streamId", "globalPid", "bytes", "copyKind", "srcKind",
         "dstKind"},
        kRunsOfCopies, trace.copies, [&](sqlite3_stmt* row) { add_copy(row); });
  }

 private:
  enum Column : int { kStart, kEnd, kDevice, kContext, kStream, kGlobalPid, kFirstOwn };

  Result<void> prepare(const std::string& sql, Statement& statement) {
    sqlite3_stmt* raw = nullptr;
    const int status = sqlite3_prepare_v2(file_.handle(), sql.c_str(), -1, &raw, nullptr);
    statement.reset(raw);
    if (status != SQLITE_OK) return fail(sqlite3_errmsg(file_.handle()), file_.path().string());
    return {};
  }

  // Columns that the table lacks read as NULL.
  std::string select(const std::string& table, const std::vector<std::string>& columns) const {
    const std::vector<std::string> there = file_.columns(table);
    std::string sql = "SELECT ";
    for (const std::string& column : columns) {
      const bool has = std::find(there.begin(), there.end(), column) != there.end();
      sql += fmt::format("{}{}", column == columns.front() ? "" : ",", has ? fmt::format("\"{}\"", column) : "NULL");
    }
    return sql + fmt::format(" FROM \"{}\" WHERE rowid>=? ORDER BY rowid LIMIT {}", table, kRowsPerRun);
  }

  template <class Add>
  Result<void> read_runs(const std::string& table, const std::vector<std::string>& columns, std::int64_t runs,
                         DeviceColumns& out, Add add) {
    const std::int64_t rows = file_.rows_estimate(table);
    preview_.rows += rows;
    Statement statement;
    if (auto prepared = prepare(select(table, columns), statement); !prepared) return prepared;
    const std::int64_t stride = std::max(kRowsPerRun, rows / runs);
    for (std::int64_t run = 0; run < runs && run * stride < rows; ++run) {
      sqlite3_reset(statement.get());
      sqlite3_bind_int64(statement.get(), 1, 1 + run * stride);
      int status = SQLITE_ROW;
      while ((status = sqlite3_step(statement.get())) == SQLITE_ROW) {
        ++preview_.rows_read;
        if (add_device_columns(statement.get(), out)) add(statement.get());
      }
      if (status != SQLITE_DONE) return fail(sqlite3_errmsg(file_.handle()), file_.path().string());
    }
    return {};
  }

  bool add_device_columns(sqlite3_stmt* row, DeviceColumns& out) {
    for (const int column : {int{kStart}, int{kEnd}, int{kDevice}})
      if (sqlite3_column_type(row, column) != SQLITE_INTEGER) return false;
    const std::int64_t start = sqlite3_column_int64(row, kStart), end = sqlite3_column_int64(row, kEnd);
    const std::int64_t device = sqlite3_column_int64(row, kDevice);
    if (end < start || start < -kFarthestNs || end > kFarthestNs || device < 0 || device > INT32_MAX) return false;
    out.start_ns.push_back(start);
    out.end_ns.push_back(end);
    out.device.push_back(DeviceId{static_cast<std::int32_t>(device)});
    out.context.push_back(ContextId{sqlite3_column_int(row, kContext)});
    out.stream.push_back(StreamId{sqlite3_column_int(row, kStream)});
    out.correlation.push_back(CorrelationId{0});
    const bool has_process = sqlite3_column_type(row, kGlobalPid) == SQLITE_INTEGER;
    out.process.push_back(
        has_process ? threads_.process(static_cast<std::uint64_t>(sqlite3_column_int64(row, kGlobalPid)))
                    : ProcessIndex{-1});
    return true;
  }

  void add_kernel(sqlite3_stmt* row) {
    Kernels& k = preview_.trace.kernels;
    const StringId short_name = name(row, kFirstOwn + 1);
    k.name.push_back(sqlite3_column_type(row, kFirstOwn) == SQLITE_NULL ? short_name : name(row, kFirstOwn));
    k.short_name.push_back(short_name);
    k.mangled.push_back({});
    k.grid.push_back({});
    k.block.push_back({});
    k.registers_per_thread.push_back(0);
    k.static_shared_bytes.push_back(0);
    k.dynamic_shared_bytes.push_back(0);
    k.graph_node.push_back(0);
  }

  void add_copy(sqlite3_stmt* row) {
    Copies& c = preview_.trace.copies;
    c.bytes.push_back(std::max<std::int64_t>(0, sqlite3_column_int64(row, kFirstOwn)));
    c.kind.push_back(kind(row, kFirstOwn + 1, CopyKind::unified_device_to_device, CopyKind::unknown));
    c.source_memory.push_back(kind(row, kFirstOwn + 2, MemoryKind::unknown, MemoryKind::unknown));
    c.destination_memory.push_back(kind(row, kFirstOwn + 3, MemoryKind::unknown, MemoryKind::unknown));
    c.source_device.push_back(c.device.back());
    c.destination_device.push_back(c.device.back());
  }

  template <class Kind>
  static Kind kind(sqlite3_stmt* row, int column, Kind last, Kind otherwise) {
    const std::int64_t value = sqlite3_column_int64(row, column);
    return value >= 0 && value <= static_cast<std::int64_t>(last) ? static_cast<Kind>(value) : otherwise;
  }

  // Names are looked up one by one: only those of the rows that are read, and no more than kMostNames, because a foreign
  // file may have no index to find them by.
  StringId name(sqlite3_stmt* row, int column) {
    if (sqlite3_column_type(row, column) == SQLITE_TEXT) return intern(row, column);
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER || name_statement_ == nullptr) return {};
    const auto [entry, is_new] = names_.try_emplace(sqlite3_column_int64(row, column));
    if (!is_new || names_.size() > kMostNames) return entry->second;
    sqlite3_reset(name_statement_.get());
    sqlite3_bind_int64(name_statement_.get(), 1, entry->first);
    if (sqlite3_step(name_statement_.get()) == SQLITE_ROW) entry->second = intern(name_statement_.get(), 0);
    return entry->second;
  }

  StringId intern(sqlite3_stmt* row, int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    if (text == nullptr) return {};
    return preview_.trace.strings.intern({text, static_cast<std::size_t>(sqlite3_column_bytes(row, column))});
  }

  const SqliteFile& file_;
  TracePreview& preview_;
  ThreadRegistry threads_;
  Statement name_statement_;
  std::unordered_map<std::int64_t, StringId> names_;
};

}  // namespace

Result<TracePreview> read_preview(const std::filesystem::path& path) {
  const auto file = SqliteFile::open(path);
  if (!file) return tl::unexpected(file.error());
  if (!file->has_table("CUPTI_ACTIVITY_KIND_KERNEL")) return fail("no kernels to look at", path.string());
  TracePreview preview;
  preview.trace.metadata.file = path.string();
  if (auto done = PreviewReader{*file, preview}.read(); !done) return tl::unexpected(done.error());
  if (preview.trace.kernels.size() == 0) return fail("no kernels to look at", path.string());
  sort_by_start(preview.trace);
  return preview;
}

}  // namespace gputrace::trace
