// Reading rows of a foreign SQLite table: every row once, every value checked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trace/file_strings.h"
#include "trace/read_progress.h"
#include "trace/result.h"
#include "trace/row_problems.h"
#include "trace/sqlite_table_cursor.h"
#include "trace/trace.h"

namespace gputrace::trace {

// Calls `row(cursor)` for each row of the table; does nothing where the table is absent.
template <class Row>
Result<void> for_each_row(const SqliteFile& file, ReadProgress& progress, std::string_view table,
                          std::span<const std::string_view> columns, Row row) {
  if (!file.has_table(table)) return {};
  Result<TableCursor> cursor = TableCursor::open(file, table, columns);
  if (!cursor) return tl::unexpected(std::move(cursor.error()));
  while (cursor->next()) {
    row(*cursor);
    if (!progress.advance()) return fail("interrupted", file.path().string());
  }
  if (!cursor->error().empty()) {
    return fail(cursor->error() + " in table " + std::string(table), file.path().string(),
                "copy or export the file again, or try `sqlite3 FILE .recover`");
  }
  return {};
}

inline void mark_captured(Trace& trace, Table table) { trace.captured.set(static_cast<std::size_t>(table)); }

// The times of a row in `start_column` and the one after it; none, and counted why, where they are not
// usable.
inline std::optional<Span> row_span(const TableCursor& cursor, int start_column, RowProblems& problems) {
  const int end_column = start_column + 1;
  if (!cursor.is_integer(start_column) || !cursor.is_integer(end_column)) {
    const bool is_wrong = !cursor.is_null(start_column) && !cursor.is_null(end_column);
    return problems.count(is_wrong ? RowProblem::wrong_type : RowProblem::no_time), std::nullopt;
  }
  const Span span{cursor.integer(start_column), cursor.integer(end_column)};
  if (!is_usable_span(span.start_ns, span.end_ns, problems)) return std::nullopt;
  return span;
}

// Values of the row under a cursor; what is not usable is counted and replaced by `fallback`. NULL is not
// counted.
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
