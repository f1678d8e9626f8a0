#include "trace/trace_preview.h"

#include <sqlite3.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

namespace gputrace::trace {
namespace {

namespace fs = std::filesystem;

struct Folder {  // removed at the end
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "gputrace-preview-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

fs::path database(const Folder& folder, const std::string& sql) {
  const fs::path file = folder.path / "t.sqlite";
  sqlite3* raw = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &raw) == SQLITE_OK);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> open{raw, sqlite3_close};
  REQUIRE(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  return file;
}

const std::string kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,streamId,demangledName,shortName);"
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);INSERT INTO StringIds VALUES(1,'gemm'),(2,'relu');";

std::string rows(const std::string& count, const std::string& values) {
  return "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<" + count +
         "-1) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT " + values + " FROM n;";
}

TEST_CASE("A preview takes kernels from all over a large file") {
  const Folder folder;
  const auto preview = read_preview(database(folder, kKernels + rows("100000", "i*10,i*10+5,i%2,7,1+i%2,1")));
  REQUIRE(preview);
  CHECK(preview->rows == 100'000);
  CHECK(preview->rows_read == 20'000);
  const Kernels& kernels = preview->trace.kernels;
  REQUIRE(kernels.size() == 20'000);
  CHECK(kernels.start_ns.front() == 0);
  CHECK(kernels.start_ns.back() > 990'000);
  CHECK(preview->trace.text(kernels.name[0]) == "gemm");
  CHECK(preview->trace.text(kernels.name[1]) == "relu");
  CHECK(kernels.device[1] == DeviceId{1});
}

TEST_CASE("A preview of a small file has each row once") {
  const Folder folder;
  const auto preview = read_preview(database(folder, kKernels + rows("77", "i*10,i*10+5,0,7,1,1")));
  REQUIRE(preview);
  CHECK(preview->trace.kernels.size() == 77);
  CHECK(preview->rows_read == 77);
}

TEST_CASE("A preview leaves out rows that no full read would keep") {
  const Folder folder;
  const auto preview = read_preview(
      database(folder, kKernels +
                           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(5,4,0,7,1,1),('x',4,0,7,1,1),(1,2,-1,7,1,1),"
                           "(1,9223372036854775807,0,7,1,1),(1,2,0,NULL,'own text',NULL);"));
  REQUIRE(preview);
  REQUIRE(preview->trace.kernels.size() == 1);
  CHECK(preview->trace.text(preview->trace.kernels.name[0]) == "own text");
}

TEST_CASE("A row with the largest rowid does no harm") {
  const Folder folder;
  const auto preview = read_preview(
      database(folder, kKernels + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(rowid,start,end,deviceId) VALUES"
                                  "(9223372036854775807,1,2,0),(1,3,4,0);"));
  REQUIRE(preview);
  CHECK(preview->trace.kernels.size() >= 1);
}

TEST_CASE("Files of another kind have no preview") {
  const Folder folder;
  CHECK_FALSE(read_preview(folder.path / "none"));
  std::ofstream{folder.path / "text.json"} << "{}";
  CHECK_FALSE(read_preview(folder.path / "text.json"));
  CHECK_FALSE(read_preview(database(folder, "CREATE TABLE t(a);")));
}

}  // namespace
}  // namespace gputrace::trace
