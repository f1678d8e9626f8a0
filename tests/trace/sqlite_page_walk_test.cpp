// The walk over a table's pages gives what sqlite3_step gives, or leaves the table to it.
#include "trace/sqlite_page_walk.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/trace/sqlite_fixture.h"
#include "tests/trace/sqlite_rows.h"

namespace gputrace::trace {
namespace {

using namespace tests;
using Step = SqlitePageWalk::Step;

struct Shape {
  int page_bytes = 4096, reserved_bytes = 0;
  bool is_auto_vacuum = false;
};

void make_database(const std::filesystem::path& path, const Shape& shape, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  int reserved_bytes = shape.reserved_bytes;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved_bytes);
  const std::string whole = fmt::format("PRAGMA page_size={}; PRAGMA auto_vacuum={}; BEGIN; {} COMMIT;", shape.page_bytes, shape.is_auto_vacuum ? 1 : 0, sql);
  CHECK(sqlite3_exec(database, whole.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  REQUIRE(static_cast<unsigned char>(file_bytes(path)[20]) == shape.reserved_bytes);
}

class RandomValues {
 public:
  explicit RandomValues(const Shape& shape) : usable_bytes_(shape.page_bytes - shape.reserved_bytes) {}

  std::string value() {
    switch (random_() % 4) {
      case 0: return "NULL";
      case 1: return integer();
      case 2: return fmt::format("'{}'", std::string(length(), static_cast<char>('a' + random_() % 26)));
      default: return fmt::format("zeroblob({})", length());
    }
  }

  // Of every length that the format has, on both sides of each limit.
  std::string integer() {
    constexpr int kBits[] = {0, 1, 7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 62};
    const auto limit = std::int64_t{1} << kBits[random_() % std::size(kBits)];
    const auto value = limit - 1 + static_cast<std::int64_t>(random_() % 3);
    if (random_() % 50 == 0) return random_() % 2 ? "9223372036854775807" : "-9223372036854775807 - 1";
    return std::to_string(random_() % 2 ? value : -value);
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  // Mostly short, else about where a record no longer fits its page, or its first overflow page.
  std::size_t length() {
    if (random_() % 6 != 0) return random_() % 40;
    const int limits[] = {usable_bytes_ - 35, (usable_bytes_ - 12) * 32 / 255 - 23, usable_bytes_ - 4, 2 * usable_bytes_, 3 * usable_bytes_ - 8};
    return static_cast<std::size_t>(std::max(0, limits[random_() % std::size(limits)] - 20 + static_cast<int>(random_() % 40)));
  }

  int usable_bytes_;
  std::mt19937 random_{7};
};

std::string random_table(RandomValues& values, int rows) {
  std::string sql = "CREATE TABLE t(a INTEGER, b, id INTEGER PRIMARY KEY, c TEXT, d BLOB, e INTEGER NOT NULL);";
  for (int i = 0; i < rows; ++i) {
    const std::string id = values.below(4) == 0 ? std::to_string(static_cast<std::int64_t>(values.below(1'000'000)) * 4'000'000'000 - 2'000'000'000'000'000) : "NULL";
    sql += fmt::format("INSERT OR IGNORE INTO t VALUES({}, {}, {}, {}, {}, {});", values.value(), values.value(), id, values.value(), values.value(), values.integer());
    if (i % 5 == 4) sql += "DELETE FROM t WHERE id = (SELECT max(id) FROM t WHERE abs(id) % 3 = 0);";
  }
  return sql + "CREATE TABLE u(x); DROP TABLE u;";
}

void check_walks_whole_table(const std::filesystem::path& path, const Columns& columns) {
  const TableRows expected = stepped(path, "t", columns);
  REQUIRE(expected.error.empty());
  const WalkedRows rows = walked(path, "t", columns);
  CHECK(rows.ended == Step::end);
  CHECK(rows.rows == expected.rows);
  const TableRows read = read_with_cursor(path, "t", columns);
  CHECK(read.error.empty());
  CHECK(read.rows == expected.rows);
}

TEST_CASE("random tables of every page size are walked to the same rows") {
  for (const Shape shape : {Shape{512}, Shape{512, 32}, Shape{1024, 0, true}, Shape{2048}, Shape{4096}, Shape{4096, 12, true}, Shape{8192}, Shape{16384},
                            Shape{32768, 255}, Shape{65536}, Shape{65536, 8, true}}) {
    CAPTURE(shape.page_bytes, shape.reserved_bytes, shape.is_auto_vacuum);
    const TemporaryFolder folder;
    RandomValues values(shape);
    make_database(folder.path() / "t", shape, random_table(values, shape.page_bytes < 8192 ? 400 : 120));
    check_walks_whole_table(folder.path() / "t", {"a", "b", "id", "c", "d", "e"});
    check_walks_whole_table(folder.path() / "t", {"e", "a"});
    check_walks_whole_table(folder.path() / "t", {"b", "b", "id", "b", "id"});
  }
}

TEST_CASE("tables of none, one and many rows are walked, from one level of pages to four") {
  for (const auto& [rows, least_pages] : std::initializer_list<std::pair<int, std::size_t>>{{0, 2}, {1, 2}, {40, 8}, {1'000, 250}, {30'000, 7'500}}) {
    CAPTURE(rows);
    const TemporaryFolder folder;
    make_database(folder.path() / "t", {512},
                  fmt::format("CREATE TABLE t(a INTEGER, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                              "INSERT INTO t SELECT i * i, printf('%.*c', 90 + i % 20, 'x') FROM n LIMIT {};", rows));
    CHECK(file_bytes(folder.path() / "t").size() >= least_pages * 512);
    CHECK(stepped(folder.path() / "t", "t", {"a"}).rows.size() == static_cast<std::size_t>(rows));
    check_walks_whole_table(folder.path() / "t", {"a", "b"});
  }
}

TEST_CASE("a column added later is NULL in older rows, and a default is left to SQLite") {
  const SqlFile file("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2); ALTER TABLE t ADD COLUMN b; ALTER TABLE t ADD COLUMN c DEFAULT 'x';"
                     "INSERT INTO t VALUES(3, 4, 5)");
  check_walks_whole_table(file.path(), {"a", "b"});
  CHECK(walked(file.path(), "t", {"a", "b", "c"}).ended == Step::leave);
  CHECK(read_with_cursor(file.path(), "t", {"a", "b", "c"}).rows == std::vector<std::string>{"i1|n|ox", "i2|n|ox", "i3|i4|i5"});
}

TEST_CASE("from a number with a fraction on SQLite goes on, and no row is given twice") {
  const SqlFile file("CREATE TABLE t(a, b TEXT); INSERT INTO t VALUES(1, 'p'), (2, 'q'), (0.5, 'r'), (4, 's'), (1e300, 't')");
  const WalkedRows rows = walked(file.path(), "t", {"a", "b"});
  CHECK(rows.rows == std::vector<std::string>{"i1|op", "i2|oq"});
  CHECK(rows.ended == Step::leave);
  CHECK(read_with_cursor(file.path(), "t", {"a", "b"}).rows == std::vector<std::string>{"i1|op", "i2|oq", "o0.5|or", "i4|os", "o1.0e+300|ot"});
}

TEST_CASE("tables of other kinds are left to SQLite as a whole") {
  for (const char* sql : {"CREATE TABLE t(a INTEGER, b INTEGER PRIMARY KEY) WITHOUT ROWID;", "CREATE TABLE t(a INTEGER PRIMARY KEY DESC, b);",
                          "CREATE TABLE t(a INTEGER, b TEXT PRIMARY KEY);", "CREATE TABLE t(c AS (a + 1), a INTEGER, b);",
                          "CREATE TABLE t(c AS (a + 1) STORED, a INTEGER, b);", "PRAGMA encoding='UTF-16'; CREATE TABLE t(a, b);",
                          "CREATE TABLE t(a, b REAL);", "CREATE TABLE t(a, b double precision);"}) {
    CAPTURE(sql);
    const SqlFile file(std::string(sql) + "INSERT INTO t(a) SELECT 7" + (std::string_view(sql).find("PRIMARY KEY)") == std::string_view::npos ? "" : " LIMIT 0"));
    CHECK_FALSE(walked(file.path(), "t", {"a", "b"}).ended.has_value());
    const TableRows read = read_with_cursor(file.path(), "t", {"a", "b"});
    CHECK(read.error.empty());
    CHECK(read.rows == stepped(file.path(), "t", {"a", "b"}).rows);
  }
}

TEST_CASE("a column of fractions that nobody asks for does not stop the walk") {
  const SqlFile file("CREATE TABLE t(a, b REAL, c); INSERT INTO t VALUES(1, 0.5, 2), (3, 4, 5)");
  check_walks_whole_table(file.path(), {"a", "c"});
}

TEST_CASE("a column that the table lacks is NULL") {
  const SqlFile file("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)");
  CHECK(walked(file.path(), "t", {"z", "a"}).rows == std::vector<std::string>{"n|i1", "n|i2"});
  CHECK(walked(file.path(), "t", {"z"}).rows == std::vector<std::string>{"n", "n"});
  CHECK(read_with_cursor(file.path(), "t", {"z", "a"}).rows == std::vector<std::string>{"n|i1", "n|i2"});
}

TEST_CASE("there is nothing to walk where the table is absent, or a view") {
  const SqlFile file("CREATE TABLE u(a); CREATE VIEW t AS SELECT a FROM u");
  CHECK_FALSE(walked(file.path(), "t", {"a"}).ended.has_value());
  CHECK_FALSE(walked(file.path(), "absent", {"a"}).ended.has_value());
}

TEST_CASE("a table with a journal beside its file is read by SQLite alone") {
  const SqlFile file("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)");
  write_file(file.path().string() + "-journal", "left over");
  CHECK(read_with_cursor(file.path(), "t", {"a"}).rows == std::vector<std::string>{"i1", "i2"});
}

TEST_CASE("an index over the columns does not change the order of the rows") {
  const SqlFile file("CREATE TABLE t(a); CREATE INDEX i ON t(a); INSERT INTO t VALUES(3), (1), (0.5), (2)");
  CHECK(read_with_cursor(file.path(), "t", {"a"}).rows == std::vector<std::string>{"i3", "i1", "o0.5", "i2"});
}

bool is_sqlite(const std::filesystem::path& path) { return std::filesystem::is_regular_file(path) && file_bytes(path).starts_with("SQLite format 3"); }

TEST_CASE("every table of the traces at hand is read to the rows that SQLite reads") {
  const auto folder = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(folder)) {
    WARN("left out: no traces at hand");
    return;
  }
  std::size_t walked_tables = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!is_sqlite(entry.path())) continue;
    for (const std::string& table : query(entry.path(), "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 1")) {
      CAPTURE(entry.path(), table);
      const std::vector<std::string> names = columns_of(entry.path(), table);
      const Columns columns(names.begin(), names.end());
      const TableRows expected = stepped(entry.path(), table, columns), read = read_with_cursor(entry.path(), table, columns);
      CHECK(read.error == expected.error);
      CHECK((read.rows == expected.rows));
      walked_tables += walked(entry.path(), table, columns).ended == Step::end;
    }
  }
  CHECK(walked_tables > 50);
}

}  // namespace
}  // namespace gputrace::trace
