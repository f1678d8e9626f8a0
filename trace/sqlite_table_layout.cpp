#include "trace/sqlite_table_layout.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>

#include "trace/sqlite_statement.h"

namespace gputrace::trace {
namespace {

std::optional<std::uint32_t> root_page(sqlite3* database, std::string_view table) {
  const SqliteStatement roots = prepare(database, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1");
  if (!roots || sqlite3_bind_text(roots.get(), 1, table.data(), static_cast<int>(table.size()), SQLITE_STATIC) != SQLITE_OK ||
      sqlite3_step(roots.get()) != SQLITE_ROW)
    return std::nullopt;
  const std::int64_t page = sqlite3_column_int64(roots.get(), 0);
  constexpr std::int64_t kSchemaPage = 1;
  if (page <= kSchemaPage || page > UINT32_MAX || sqlite3_step(roots.get()) != SQLITE_DONE) return std::nullopt;
  return static_cast<std::uint32_t>(page);
}

// An index is made for a primary key unless the key is the rowid; a table WITHOUT ROWID is such an index.
bool has_primary_key_index(sqlite3* database, std::string_view table) {
  constexpr int kOrigin = 3;
  const SqliteStatement indexes = prepare(database, "PRAGMA index_list(" + quoted(table) + ")");
  while (indexes && sqlite3_step(indexes.get()) == SQLITE_ROW) {
    if (column_text(indexes.get(), kOrigin) == "pk") return true;
  }
  return !indexes;
}

// A column of a type with one of these words may have the affinity REAL: https://www.sqlite.org/datatype3.html, section 3.1.
bool may_be_real(std::string type) {
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return type.find("REAL") != std::string::npos || type.find("FLOA") != std::string::npos || type.find("DOUB") != std::string::npos;
}

}  // namespace

std::optional<SqliteTableLayout> table_layout(sqlite3* database, std::string_view table) {
  const std::optional<std::uint32_t> root = root_page(database, table);
  if (!root || has_primary_key_index(database, table)) return std::nullopt;
  SqliteTableLayout layout{.root_page = *root};
  enum { kName = 1, kType = 2, kDefault = 4, kPrimaryKey = 5, kHidden = 6 };
  const SqliteStatement columns = prepare(database, "PRAGMA table_xinfo(" + quoted(table) + ")");
  while (columns && sqlite3_step(columns.get()) == SQLITE_ROW) {
    sqlite3_stmt* column = columns.get();
    if (sqlite3_column_int(column, kHidden) != 0) return std::nullopt;
    layout.columns.push_back({.name = std::string(column_text(column, kName)),
                              .is_rowid = sqlite3_column_int(column, kPrimaryKey) != 0,
                              .has_default = sqlite3_column_type(column, kDefault) != SQLITE_NULL,
                              .is_converted = may_be_real(std::string(column_text(column, kType)))});
  }
  if (layout.columns.empty()) return std::nullopt;
  return layout;
}

}  // namespace gputrace::trace
