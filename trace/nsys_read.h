// The parts of reading a Nsight Systems SQLite export, schema 2.9 to 3.30, or a file of our own: both have the same
// tables. Each part reads one group of tables into `NsysRead::trace`; a table that is absent stays "not captured".
#pragma once

#include <span>
#include <string_view>

#include "trace/file_strings.h"
#include "trace/read_progress.h"
#include "trace/result.h"
#include "trace/row_problems.h"
#include "trace/sqlite_table_cursor.h"
#include "trace/thread_registry.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct NsysRead {
  const SqliteFile& file;
  Trace& trace;
  ReadProgress& progress;
  ThreadRegistry threads{trace};
  FileStrings strings{};
  std::size_t reserve_limit = 0;  // rows that the file's size allows: rowids are not to be trusted
  bool is_own_file = false;       // written by TraceWriter
};

Result<void> read_nsys_strings(NsysRead& read);
Result<void> read_nsys_api_tables(NsysRead& read);     // API calls, overheads
Result<void> read_nsys_device_tables(NsysRead& read);  // kernels, copies, fills, synchronizations, events, graphs
Result<void> read_nsys_nvtx(NsysRead& read);           // ranges and marks; also names of threads
Result<void> read_nsys_gpus(NsysRead& read);
Result<void> read_nsys_process_names(NsysRead& read);
Result<void> read_nsys_metadata(NsysRead& read);
Result<void> read_gputrace_tables(NsysRead& read);     // GPUTRACE_*: links, op placements, capture state, diagnostics

// Calls `row(cursor)` for each row of the table; does nothing where the table is absent.
template <class Row>
Result<void> for_each_row(NsysRead& read, std::string_view table, std::span<const std::string_view> columns, Row row) {
  if (!read.file.has_table(table)) return {};
  Result<TableCursor> cursor = TableCursor::open(read.file, table, columns);
  if (!cursor) return tl::unexpected(std::move(cursor.error()));
  while (cursor->next()) {
    row(*cursor);
    if (!read.progress.advance()) return fail("interrupted", read.file.path().string());
  }
  if (!cursor->error().empty()) {
    return fail(cursor->error() + " in table " + std::string(table), read.file.path().string(),
                "copy or export the file again, or try `sqlite3 FILE .recover`");
  }
  return {};
}

inline void mark_captured(Trace& trace, Table table) { trace.captured.set(static_cast<std::size_t>(table)); }

// Values of the row under a cursor; what is not usable is counted and replaced by `fallback`. NULL is not counted.
class RowValues {
 public:
  RowValues(const TableCursor& cursor, RowProblems& problems) : cursor_(cursor), problems_(problems) {}

  std::int64_t integer(int column, std::int64_t fallback = 0) const {
    if (cursor_.is_integer(column)) return cursor_.integer(column);
    if (!cursor_.is_null(column)) problems_.count(RowProblem::wrong_type);
    return fallback;
  }

  std::int32_t int32(int column, std::int32_t fallback = 0) const {
    const std::int64_t value = integer(column, fallback);
    if (value >= INT32_MIN && value <= INT32_MAX) return static_cast<std::int32_t>(value);
    problems_.count(RowProblem::value_out_of_range);
    return fallback;
  }

  // CUPTI's "invalid" in an unsigned 32-bit field.
  bool is_invalid_uint32(int column) const {
    return cursor_.is_integer(column) && cursor_.integer(column) == std::int64_t{UINT32_MAX};
  }

  template <class Kind>
  Kind kind(int column, Kind first, Kind last, Kind fallback) const {
    const std::int64_t value = integer(column, static_cast<std::int64_t>(fallback));
    if (value >= static_cast<std::int64_t>(first) && value <= static_cast<std::int64_t>(last)) {
      return static_cast<Kind>(value);
    }
    problems_.count(RowProblem::unknown_kind);
    return fallback;
  }

  StringId string(int column, const FileStrings& strings) const {
    if (cursor_.is_null(column)) return {};
    if (const auto found = strings.find(integer(column, -1))) return *found;
    problems_.count(RowProblem::unknown_string);
    return {};
  }

 private:
  const TableCursor& cursor_;
  RowProblems& problems_;
};

}  // namespace gputrace::trace
