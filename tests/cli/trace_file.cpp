#include "tests/cli/trace_file.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace gputrace::tests {
namespace {

const char* const kTrace = R"sql(
CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'sgemm'), (2, 'relu');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, registersPerThread INTEGER NOT NULL,
  gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,
  blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,
  gridId INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (0, 10000000, 0, 1, 7, 1, 281474993487872, 1, 1, 32, 64, 1, 1, 256, 1, 1, 0, 0, 0, 0, 1),
  (10000000, 20000000, 0, 1, 7, 2, 281474993487872, 2, 2, 32, 64, 1, 1, 256, 1, 1, 0, 0, 0, 0, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (20000000, 21000000, 0, 1, 7, 3, 281474993487872, 12000000, 1, 1, 2);
CREATE TABLE META_DATA_EXPORT(name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'),
  ('EXPORT_PRODUCT_VERSION', '2024.6.2.225'), ('EXPORT_SCHEMA_VERSION', '3.16.1');
)sql";

}  // namespace

TestFolder::TestFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "gputrace_cli_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;  // the test has ended; nothing more can be done about a file that stays
  std::filesystem::remove_all(path_, ignored);
}

std::string TestFolder::text_of(const std::string& name) const {
  std::ifstream in(file(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void TestFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name), std::ios::binary) << text;
}

std::string TestFolder::write_trace(const std::string& name) const {
  sqlite3* db = nullptr;
  const std::string path = file(name).string();
  const bool written = sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                       sqlite3_exec(db, kTrace, nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(db);
  if (!written) std::abort();
  return path;
}

std::size_t TestFolder::file_count() const {
  const std::filesystem::directory_iterator files(path_);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace gputrace::tests
