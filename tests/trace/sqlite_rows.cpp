#include "tests/trace/sqlite_rows.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <memory>

#include "tests/trace/sqlite_fixture.h"
#include "trace/sqlite_table_cursor.h"

namespace gputrace::tests {
namespace {

struct Close {
  void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};

// With the checks that SqliteFile has SQLite do.
std::unique_ptr<sqlite3, Close> open_unchanged(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(("file:" + path.string() + "?immutable=1").c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);  // "b" is a column or nothing, never the string 'b'
  sqlite3_exec(database, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
  return std::unique_ptr<sqlite3, Close>(database);
}

std::string value_text(sqlite3_stmt* statement, int column) {
  const int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL) return "n";
  const std::string text(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)), static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
  return (type == SQLITE_INTEGER ? "i" : "o") + text;
}

std::string joined(const std::vector<std::string>& values) { return fmt::format("{}", fmt::join(values, "|")); }

}  // namespace

TableRows stepped(const std::filesystem::path& path, std::string_view table, const Columns& columns, std::size_t most_rows) {
  const auto database = open_unchanged(path);
  const std::string sql = fmt::format("SELECT \"{}\" FROM \"{}\" NOT INDEXED", fmt::join(columns, "\", \""), table);
  sqlite3_stmt* statement = nullptr;
  TableRows table_rows;
  int step = sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement, nullptr);
  while (statement != nullptr && (step = sqlite3_step(statement)) == SQLITE_ROW && table_rows.rows.size() < most_rows) {
    std::vector<std::string> values;
    for (int column = 0; column < static_cast<int>(columns.size()); ++column) values.push_back(value_text(statement, column));
    table_rows.rows.push_back(joined(values));
  }
  if (step != SQLITE_DONE) table_rows.error = step == SQLITE_ROW ? "too many rows" : sqlite3_errmsg(database.get());
  sqlite3_finalize(statement);
  return table_rows;
}

WalkedRows walked(const std::filesystem::path& path, std::string_view table, const Columns& columns) {
  const auto database = open_unchanged(path);
  auto walk = trace::SqlitePageWalk::open(database.get(), table, columns);
  WalkedRows walked;
  if (!walk) return walked;
  std::vector<trace::SqliteCell> cells(columns.size());
  while ((walked.ended = walk->next(cells)) == trace::SqlitePageWalk::Step::row) {
    std::vector<std::string> values;
    for (const trace::SqliteCell& cell : cells) {
      values.push_back(cell.type == trace::CellType::null      ? "n"
                       : cell.type == trace::CellType::integer ? "i" + std::to_string(cell.value)
                                                               : "o" + std::string(cell.text, cell.text_bytes));
    }
    walked.rows.push_back(joined(values));
  }
  return walked;
}

TableRows read_with_cursor(const std::filesystem::path& path, std::string_view table, const Columns& columns) {
  const auto file = trace::SqliteFile::open(path);
  if (!file) return {{}, file.error().what};
  auto cursor = trace::TableCursor::open(*file, table, columns);
  if (!cursor) return {{}, cursor.error().what};
  TableRows table_rows;
  while (cursor->next()) {
    std::vector<std::string> values;
    for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
      values.push_back(cursor->is_null(column)      ? "n"
                       : cursor->is_integer(column) ? "i" + std::to_string(cursor->integer(column))
                                                    : "o" + std::string(cursor->text(column)));
    }
    table_rows.rows.push_back(joined(values));
  }
  table_rows.error = cursor->error();
  return table_rows;
}

std::vector<std::string> columns_of(const std::filesystem::path& path, std::string_view table) {
  return query(path, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
}

}  // namespace gputrace::tests
