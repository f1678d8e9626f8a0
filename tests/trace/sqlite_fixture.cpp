#include "tests/trace/sqlite_fixture.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gputrace::tests {
namespace {

sqlite3* open_database(const std::filesystem::path& path, int flags) {
  sqlite3* database = nullptr;
  const bool read_only = (flags & SQLITE_OPEN_READONLY) != 0;
  const std::string name = read_only ? "file:" + path.string() + "?immutable=1" : path.string();
  const int opened = sqlite3_open_v2(name.c_str(), &database, flags | (read_only ? SQLITE_OPEN_URI : 0), nullptr);
  REQUIRE(opened == SQLITE_OK);
  return database;
}

int collect(void* rows, int columns, char** values, char**) {
  std::string row;
  for (int i = 0; i < columns; ++i) row += (i ? "|" : "") + std::string(values[i] ? values[i] : "NULL");
  static_cast<std::vector<std::string>*>(rows)->push_back(row);
  return 0;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "gputrace-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void run_sql(const std::filesystem::path& path, std::string_view sql) {
  sqlite3* database = open_database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  char* message = nullptr;
  sqlite3_exec(database, std::string(sql).c_str(), nullptr, nullptr, &message);
  const std::string error = message ? message : "";
  sqlite3_free(message);
  sqlite3_close(database);
  INFO(sql);
  REQUIRE(error.empty());
}

std::vector<std::string> query(const std::filesystem::path& path, std::string_view sql) {
  sqlite3* database = open_database(path, SQLITE_OPEN_READONLY);
  std::vector<std::string> rows;
  char* message = nullptr;
  sqlite3_exec(database, std::string(sql).c_str(), collect, &rows, &message);
  const std::string error = message ? message : "";
  sqlite3_free(message);
  sqlite3_close(database);
  INFO(sql);
  REQUIRE(error.empty());
  return rows;
}

std::size_t count_rows(const std::filesystem::path& path, std::string_view table, std::string_view where) {
  const std::string name(table);
  if (query(path, "SELECT 1 FROM sqlite_schema WHERE name = '" + name + "'").empty()) return 0;
  const std::string sql = "SELECT count(*) FROM " + name + " WHERE " + std::string(where);
  return static_cast<std::size_t>(std::atoll(query(path, sql).at(0).c_str()));
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

SqlFile::SqlFile(std::string_view sql, std::string_view name) : path_(folder_.path() / name) {
  run_sql(path_, sql);
}

}  // namespace gputrace::tests
