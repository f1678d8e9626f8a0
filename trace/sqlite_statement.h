// A prepared statement of SQLite, owned.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace gputrace::trace {

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const noexcept;
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// Null where the SQL cannot be prepared; the database has the reason.
SqliteStatement prepare(sqlite3* database, const std::string& sql);

// A name as an identifier in SQL.
std::string quoted(std::string_view name);

// Text or blob of the row; "" where it is NULL. Valid until the next step.
std::string_view column_text(sqlite3_stmt* statement, int column);

}  // namespace gputrace::trace
