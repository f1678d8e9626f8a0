// SQLite files for tests: made from SQL, counted with SQL.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gputrace::tests {

// A folder that is there for one test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const;  // sorted

 private:
  std::filesystem::path path_;
};

// Runs SQL on a file, which it makes where there is none. Fails the test where the SQL fails.
void run_sql(const std::filesystem::path& path, std::string_view sql);

// The rows of a query, as text, values joined by '|'.
std::vector<std::string> query(const std::filesystem::path& path, std::string_view sql);

// 0 where there is no such table.
std::size_t count_rows(const std::filesystem::path& path, std::string_view table,
                       std::string_view where = "1");

std::string file_bytes(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view bytes);

// A SQLite file made from SQL, in a folder of its own.
class SqlFile {
 public:
  explicit SqlFile(std::string_view sql, std::string_view name = "trace.sqlite");
  const std::filesystem::path& path() const { return path_; }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

}  // namespace gputrace::tests
