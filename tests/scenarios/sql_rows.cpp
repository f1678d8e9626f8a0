#include "tests/scenarios/sql_rows.h"

#include <sqlite3.h>

#include <memory>

namespace gputrace::tests {

SqlRows sql_rows(const std::filesystem::path& file, const std::string& query) {
  SqlRows result;
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(("file:" + file.string() + "?immutable=1").c_str(), &opened,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  sqlite3_stmt* prepared = nullptr;
  if (status != SQLITE_OK || sqlite3_prepare_v2(opened, query.c_str(), -1, &prepared, nullptr) != SQLITE_OK) {
    result.error = sqlite3_errmsg(opened);
    return result;
  }
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  for (int i = 0; i < sqlite3_column_count(prepared); ++i) result.columns.emplace_back(sqlite3_column_name(prepared, i));
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
    auto& row = result.rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(prepared); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, i));
      row.emplace_back(text != nullptr ? text : "NULL");
    }
  }
  if (step != SQLITE_DONE) result.error = sqlite3_errmsg(opened);
  return result;
}

bool has_table(const std::filesystem::path& file, const std::string& table) {
  return !sql_rows(file, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '" + table + "'").rows.empty();
}

}  // namespace gputrace::tests
