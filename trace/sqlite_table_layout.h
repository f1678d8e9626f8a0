// Where a table begins in its file and how its columns lie in the records, from the schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace gputrace::trace {

struct SqliteTableLayout {
  struct Column {
    std::string name{};
    bool is_rowid = false;      // INTEGER PRIMARY KEY: the record has NULL in its place
    bool has_default = false;   // other than NULL, for rows written before the column was added
    bool is_converted = false;  // REAL: whole numbers lie in the record as integers
  };
  std::uint32_t root_page = 0;
  std::vector<Column> columns{};  // in the order of the record
};

// None where the records are not the columns one by one, or rows lie in an index: WITHOUT ROWID, generated columns, a primary key other
// than the rowid.
std::optional<SqliteTableLayout> table_layout(sqlite3* database, std::string_view table);

}  // namespace gputrace::trace
