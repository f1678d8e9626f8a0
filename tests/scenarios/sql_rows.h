// Rows of a SQL query, as a script gets them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gputrace::tests {

struct SqlRows {
  std::string error;                          // "": the query ran
  std::vector<std::string> columns;           // their names
  std::vector<std::vector<std::string>> rows;  // "NULL" for NULL
};

// The file is opened read-only.
SqlRows sql_rows(const std::filesystem::path& file, const std::string& query);
bool has_table(const std::filesystem::path& file, const std::string& table);

}  // namespace gputrace::tests
