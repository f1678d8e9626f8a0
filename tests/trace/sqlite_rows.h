// Rows of a table as text, read in three ways: with sqlite3_step, which is always right, with the walk over pages, and with the cursor
// that puts both together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/sqlite_page_walk.h"

namespace gputrace::tests {

using Columns = std::vector<std::string_view>;

struct TableRows {
  std::vector<std::string> rows;  // "i-5|n|oabc": integer, NULL, or other and its text
  std::string error;              // "": read to the end
};

// Stops, with an error, after `most_rows`: a damaged file may have rows without end.
TableRows stepped(const std::filesystem::path& path, std::string_view table, const Columns& columns, std::size_t most_rows = SIZE_MAX);

struct WalkedRows {
  std::vector<std::string> rows;
  std::optional<trace::SqlitePageWalk::Step> ended{};  // none: the table was left to SQLite as a whole
};
WalkedRows walked(const std::filesystem::path& path, std::string_view table, const Columns& columns);

TableRows read_with_cursor(const std::filesystem::path& path, std::string_view table, const Columns& columns);

// All columns of a table, as the file has them.
std::vector<std::string> columns_of(const std::filesystem::path& path, std::string_view table);

}  // namespace gputrace::tests
