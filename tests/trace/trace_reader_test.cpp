// What read_trace() does with a file before its format matters: it says what the file is, and leaves it as it
// was.
#include "trace/trace_reader.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/trace/sqlite_fixture.h"

namespace gputrace::trace {
namespace {

using namespace std::string_view_literals;
using tests::file_bytes;
using tests::SqlFile;
using tests::TemporaryFolder;

// The error of reading a file of these bytes, without the path before it.
std::string error_of(std::string_view bytes, std::string_view name = "file") {
  const TemporaryFolder folder;
  const auto path = folder.path() / name;
  tests::write_file(path, bytes);
  const auto trace = read_trace(path);
  REQUIRE_FALSE(trace);
  const std::string line = trace.error().line();
  REQUIRE(line.starts_with(path.string() + ": "));
  REQUIRE(line.find('\n') == std::string::npos);
  return line.substr(path.string().size() + 2);
}

constexpr char kTrace[] =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 5000)"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i, i+1, 0 FROM n;";

TEST_CASE("no file, a folder, an empty file") {
  const TemporaryFolder folder;
  REQUIRE(read_trace(folder.path() / "none").error().line() ==
          (folder.path() / "none").string() + ": no such file");
  REQUIRE(read_trace(folder.path()).error().line() ==
          folder.path().string() + ": a folder, not a trace; give a file");
  REQUIRE(error_of("") == "empty file; record or export it again");
  REQUIRE(read_trace("/dev/null").error().line() == "/dev/null: not a regular file");
}

TEST_CASE("files of other kinds are named, with what to do") {
  REQUIRE(error_of("PK\x03\x04zip"sv) == "not a trace: a zip archive; unpack it and give the trace inside");
  REQUIRE(error_of("\x7f"
                   "ELF\x02"sv) == "not a trace: a program; to record it: gputrace record -- FILE");
  REQUIRE(error_of("<?xml version='1.0'?>"sv).starts_with("not a trace: XML; "));
  REQUIRE(error_of("{\"a\": 1}"sv).starts_with("not a trace: JSON of another kind; "));
  REQUIRE(error_of("hello"sv).starts_with("not a trace: a file of no known format; "));
  REQUIRE(error_of("\x1f\x8b\x08"sv).starts_with("not a trace: gzip, holding a file of no known format; "));
}

TEST_CASE("the content decides, not the name") {
  const SqlFile file(kTrace, "trace.json.gz");
  const auto trace = read_trace(file.path());
  REQUIRE(trace);
  REQUIRE(trace->kernels.size() == 5000);
}

TEST_CASE("a SQLite file of another schema tells its tables") {
  const SqlFile file("CREATE TABLE users(id); CREATE TABLE posts(id); CREATE TABLE a(x); CREATE TABLE b(x)");
  const std::string line = read_trace(file.path()).error().line();
  REQUIRE(line.find("a SQLite file, but not a trace (4 tables: users, posts, a, ...)") != std::string::npos);
  const SqlFile empty("CREATE TABLE t(x); DROP TABLE t");
  REQUIRE(read_trace(empty.path()).error().what == "a SQLite file, but not a trace (no table)");
}

TEST_CASE("a SQLite file that is cut off at any place is an error, never a short trace") {
  const SqlFile file(kTrace);
  const std::string whole = file_bytes(file.path());
  for (const std::size_t size :
       {std::size_t{16}, std::size_t{99}, std::size_t{100}, std::size_t{4095}, std::size_t{4096},
        whole.size() / 2, whole.size() - 4096, whole.size() - 1}) {
    INFO(size);
    REQUIRE(error_of(std::string_view(whole).substr(0, size)).starts_with("cut off: "));
  }
}

TEST_CASE("damage is an error or is skipped, but never a crash") {
  const SqlFile file(kTrace);
  const std::string whole = file_bytes(file.path());
  const TemporaryFolder folder;
  std::uint32_t random = 12345;
  int errors = 0;
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 20; ++i) {
      random = random * 1664525 + 1013904223;
      bytes[100 + random % (bytes.size() - 100)] = static_cast<char>(random >> 24);
    }
    tests::write_file(folder.path() / "damaged", bytes);
    const auto trace = read_trace(folder.path() / "damaged");
    errors += !trace;
    if (!trace)
      REQUIRE_FALSE(trace.error().what.empty());
    else
      REQUIRE(trace->kernels.size() <= 5000 * 4);
  }
  REQUIRE(errors > 0);
}

TEST_CASE("pages of noise are an error") {
  const SqlFile file(kTrace);
  std::string bytes = file_bytes(file.path());
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(0xA5);
  REQUIRE(error_of(bytes).find("damaged SQLite file") == 0);
}

TEST_CASE("reading changes neither the file nor its folder") {
  for (const char* mode : {"DELETE", "WAL", "TRUNCATE"}) {
    INFO(mode);
    const SqlFile file(std::string("PRAGMA journal_mode=") + mode + ";" + kTrace);
    const std::string bytes = file_bytes(file.path());
    const auto names = file.folder().names();
    const auto changed_at = std::filesystem::last_write_time(file.path());
    const auto trace = read_trace(file.path());
  REQUIRE(trace);
  REQUIRE(trace->kernels.size() == 5000);
    REQUIRE(file_bytes(file.path()) == bytes);
    REQUIRE(file.folder().names() == names);
    REQUIRE(std::filesystem::last_write_time(file.path()) == changed_at);
  }
}

TEST_CASE("a read-only file in a read-only folder is read") {
  const SqlFile file(std::string("PRAGMA journal_mode=WAL;") + kTrace);
  chmod(file.path().c_str(), 0444);
  chmod(file.folder().path().c_str(), 0555);
  const auto trace = read_trace(file.path());
  chmod(file.folder().path().c_str(), 0755);
  REQUIRE(trace);
  REQUIRE(trace->kernels.size() == 5000);
}

TEST_CASE("a write-ahead log left beside the file is told, not read, and stays") {
  const SqlFile file(kTrace);
  const TemporaryFolder folder;
  const auto copy = folder.path() / "copy.sqlite";
  sqlite3* writer =
      nullptr;  // holds the log open while the two files are copied, as a killed program would leave them
  REQUIRE(sqlite3_open(file.path().c_str(), &writer) == SQLITE_OK);
  REQUIRE(sqlite3_exec(writer,
                       "PRAGMA journal_mode=WAL; INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,2,0)",
                       nullptr, nullptr, nullptr) == SQLITE_OK);
  std::filesystem::copy_file(file.path(), copy);
  std::filesystem::copy_file(file.path().string() + "-wal", copy.string() + "-wal");
  sqlite3_close(writer);
  const auto names = folder.names();
  const auto trace = read_trace(copy);
  REQUIRE(trace);
  REQUIRE(trace->kernels.size() == 5000);
  REQUIRE_FALSE(trace->metadata.complete);
  REQUIRE(trace->metadata.incomplete_why ==
          "a write-ahead log or journal lies beside the file and was not read");
  REQUIRE(folder.names() == names);
}

TEST_CASE("characters that mean something in a URI may stand in a file's name") {
  const SqlFile file(kTrace, "a?b#c%20 d.sqlite");
  const auto trace = read_trace(file.path());
  REQUIRE(trace);
  REQUIRE(trace->kernels.size() == 5000);
}

TEST_CASE("a file that changes while it is read is an error") {
  const SqlFile file(kTrace);
  const auto trace =
      read_trace(file.path(), {.progress = [&file](double) {
                   std::filesystem::last_write_time(
                       file.path(), std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
                   return true;
                 }});
  REQUIRE_FALSE(trace);
  REQUIRE(trace.error().what == "the file changed while it was read");
}

}  // namespace
}  // namespace gputrace::trace
