// Reads tables of an SQLite file that nobody vouches for: read-only, no view or trigger of the file is run,
// and nothing is created beside it. Columns are found by name; one that the table lacks reads as NULL in
// every row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/result.h"
#include "trace/sqlite_page_walk.h"
#include "trace/sqlite_record.h"
#include "trace/sqlite_statement.h"

struct sqlite3;

namespace gputrace::trace {

class SqliteFile {
 public:
  // The file is opened as immutable: a write-ahead log or a journal left beside it is not read
  // (has_leftover_log()). Errors: not SQLite, cut off, damaged.
  static Result<SqliteFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  // Ordinary tables only: a view or a virtual table of that name does not count.
  const std::vector<std::string>& tables() const { return tables_; }
  bool has_table(std::string_view table) const;
  std::vector<std::string> columns(std::string_view table) const;
  // An upper bound on the rows, from the last rowid; 0 where the table has none. Not to be trusted for sizes.
  std::int64_t rows_estimate(std::string_view table) const;
  bool has_leftover_log() const;
  std::uintmax_t size_bytes() const { return size_bytes_; }  // when opened
  sqlite3* handle() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> database_;
  std::vector<std::string> tables_;
  std::uintmax_t size_bytes_ = 0;
};

// One pass over some columns of one table, in the order of the file: from its pages as far as SqlitePageWalk knows its way, the rest with
// SQLite.
class TableCursor {
 public:
  static Result<TableCursor> open(const SqliteFile& file, std::string_view table,
                                  std::span<const std::string_view> columns);

  // False at the end and after an error; error() tells which.
  bool next();
  const std::string& error() const { return error_; }

  bool has_column(int column) const { return has_column_[static_cast<std::size_t>(column)]; }
  bool is_null(int column) const { return cells_[static_cast<std::size_t>(column)].type == CellType::null; }
  bool is_integer(int column) const {
    return cells_[static_cast<std::size_t>(column)].type == CellType::integer;
  }
  std::int64_t integer(int column) const {
    return cells_[static_cast<std::size_t>(column)].value;
  }                                         // 0: none
  bool is_number(int column) const;       // an integer or a real
  double number(int column) const;        // valid until next(); 0 where the value is no number
  std::string_view text(int column) const;  // valid until next(); "" where the value is no text

 private:
  bool step();

  std::optional<SqlitePageWalk> walk_;
  SqliteStatement statement_;
  std::int64_t rows_ = 0, most_rows_ = 0;  // given; that the file has room for
  std::vector<SqliteCell> cells_;
  std::vector<bool> has_column_;
  std::string error_;
};

}  // namespace gputrace::trace
