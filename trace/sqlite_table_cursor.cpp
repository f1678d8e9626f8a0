#include "trace/sqlite_table_cursor.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <system_error>

namespace gputrace::trace {
namespace {

constexpr char kRecoverHint[] = "copy or export the file again, or try `sqlite3 FILE .recover`";

// SQLite's URI form: '%', '?' and '#' in a file name would be read as syntax.
std::string immutable_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const unsigned char c : path.string()) {
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02x}", c);
    else
      uri += static_cast<char>(c);
  }
  return uri + "?mode=ro&immutable=1";
}

// The file is data: no code of its schema may run.
void distrust(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_exec(database, "PRAGMA cell_size_check=ON; PRAGMA cache_size=-8192", nullptr, nullptr, nullptr);
}

}  // namespace

void SqliteFile::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }

Result<SqliteFile> SqliteFile::open(const std::filesystem::path& path) {
  SqliteFile file;
  file.path_ = path;
  std::error_code no_size;
  file.size_bytes_ = std::filesystem::file_size(path, no_size);
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(immutable_uri(path).c_str(), &database,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  file.database_.reset(database);
  if (opened != SQLITE_OK) return fail(fmt::format("cannot open: {}", sqlite3_errstr(opened)), path.string());
  distrust(database);

  // A virtual table has root page 0.
  const SqliteStatement list =
      prepare(database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
  int step = SQLITE_ERROR;
  while (list && (step = sqlite3_step(list.get())) == SQLITE_ROW)
    file.tables_.emplace_back(column_text(list.get(), 0));
  if (step != SQLITE_DONE) {
    return fail(fmt::format("damaged SQLite file ({})", sqlite3_errmsg(database)), path.string(),
                kRecoverHint);
  }
  return file;
}

bool SqliteFile::has_table(std::string_view table) const {
  return std::find(tables_.begin(), tables_.end(), table) != tables_.end();
}

std::vector<std::string> SqliteFile::columns(std::string_view table) const {
  std::vector<std::string> names;
  const SqliteStatement list = prepare(handle(), fmt::format("PRAGMA table_info({})", quoted(table)));
  while (list && sqlite3_step(list.get()) == SQLITE_ROW) names.emplace_back(column_text(list.get(), 1));
  return names;
}

std::int64_t SqliteFile::rows_estimate(std::string_view table) const {
  if (!has_table(table)) return 0;
  const SqliteStatement last = prepare(handle(), fmt::format("SELECT max(rowid) FROM {}", quoted(table)));
  if (!last || sqlite3_step(last.get()) != SQLITE_ROW) return 0;
  return std::max<std::int64_t>(0, sqlite3_column_int64(last.get(), 0));
}

bool SqliteFile::has_leftover_log() const {
  for (const char* suffix : {"-wal", "-journal"}) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path_.string() + suffix, error);
    if (!error && size > 0) return true;
  }
  return false;
}

Result<TableCursor> TableCursor::open(const SqliteFile& file, std::string_view table, std::span<const std::string_view> columns) {
  constexpr std::uintmax_t kLeastRowBytes = 4;
  TableCursor cursor;
  cursor.cells_.resize(columns.size());
  cursor.most_rows_ = static_cast<std::int64_t>(file.size_bytes() / kLeastRowBytes);
  const std::vector<std::string> present = file.columns(table);
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    const bool has = std::find(present.begin(), present.end(), column) != present.end();
    cursor.has_column_.push_back(has);
    if (cursor.has_column_.size() > 1) sql += ", ";
    sql += has ? quoted(column) : "NULL";
  }
  // NOT INDEXED: in the order of the table, from which the walk may have given the first rows.
  sql += " FROM " + quoted(table) + " NOT INDEXED LIMIT -1 OFFSET ?1";
  cursor.statement_ = prepare(file.handle(), sql);
  if (!cursor.statement_) {
    return fail(fmt::format("cannot read table {} ({})", table, sqlite3_errmsg(file.handle())),
                file.path().string(), kRecoverHint);
  }
  sqlite3_bind_int64(cursor.statement_.get(), 1, 0);
  if (!file.has_leftover_log()) cursor.walk_ = SqlitePageWalk::open(file.handle(), table, columns);
  return cursor;
}

bool TableCursor::next() {
  if (walk_) {
    switch (walk_->next(cells_)) {
      case SqlitePageWalk::Step::row:
        ++rows_;
        return true;
      case SqlitePageWalk::Step::end:
        return false;
      case SqlitePageWalk::Step::damaged:
        error_ = "damaged SQLite file (pages that belong to a table twice)";
        return false;
      case SqlitePageWalk::Step::leave:
        break;
    }
    walk_.reset();
    sqlite3_bind_int64(statement_.get(), 1, rows_);
  }
  return step();
}

bool TableCursor::step() {
  sqlite3_stmt* statement = statement_.get();
  const int step = sqlite3_step(statement);
  if (step != SQLITE_ROW) {
    if (step != SQLITE_DONE)
      error_ = fmt::format("damaged SQLite file ({})", sqlite3_errmsg(sqlite3_db_handle(statement)));
    return false;
  }
  // Pages that name each other in a circle would never end.
  if (rows_++ == most_rows_) {
    error_ = "damaged SQLite file (more rows than it has room for)";
    return false;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    sqlite3_value* value = sqlite3_column_value(statement, static_cast<int>(i));
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER)
      cells_[i] = {.value = sqlite3_value_int64(value), .type = CellType::integer};
    else
      cells_[i] = {.type = type == SQLITE_NULL ? CellType::null : CellType::other};
  }
  return true;
}

bool TableCursor::is_number(int column) const {
  return is_integer(column) || (!is_null(column) && sqlite3_column_type(statement_.get(), column) == SQLITE_FLOAT);
}

double TableCursor::number(int column) const { return is_number(column) ? sqlite3_column_double(statement_.get(), column) : 0; }

std::string_view TableCursor::text(int column) const {
  const SqliteCell& cell = cells_[static_cast<std::size_t>(column)];
  if (cell.type != CellType::other) return {};
  return walk_ ? std::string_view(cell.text, cell.text_bytes) : column_text(statement_.get(), column);
}

}  // namespace gputrace::trace
