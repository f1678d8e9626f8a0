// Pages that lie: what is read is what sqlite3_step reads, or an error; never a crash, a hang, or memory without bound.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "tests/trace/sqlite_fixture.h"
#include "tests/trace/sqlite_rows.h"

namespace gputrace::trace {
namespace {

using namespace tests;

constexpr std::size_t kPageBytes = 512, kRows = 300, kMostRows = 20 * kRows;
const Columns kColumns = {"a", "id", "b", "c"};

// Three levels of pages, and some rows on overflow pages.
std::string small_database() {
  const SqlFile file(fmt::format("PRAGMA page_size={}; CREATE TABLE t(a INTEGER, id INTEGER PRIMARY KEY, b TEXT, c INTEGER);"
                                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                 "INSERT INTO t SELECT i * i * 1000003, i * 10000000000000000, printf('%.*c', CASE WHEN i % 50 = 0 THEN 1200 ELSE i % 60 END, 'x'), i FROM n LIMIT {};",
                                 kPageBytes, kRows));
  return file_bytes(file.path());
}

std::size_t root_of(const std::filesystem::path& path) { return std::stoul(query(path, "SELECT rootpage FROM sqlite_schema WHERE name = 't'").at(0)); }
std::size_t at_page(std::size_t page) { return (page - 1) * kPageBytes; }

void put(std::string& bytes, std::size_t at, std::uint64_t value, int length) {
  for (int i = 0; i < length; ++i) bytes.at(at + static_cast<std::size_t>(i)) = static_cast<char>(value >> 8 * (length - 1 - i));
}
std::size_t get(const std::string& bytes, std::size_t at, int length) {
  std::size_t value = 0;
  for (int i = 0; i < length; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return value;
}

// True where it was read to the end.
bool check_same_or_error(const std::filesystem::path& path, const std::string& bytes) {
  write_file(path, bytes);
  const TableRows read = read_with_cursor(path, "t", kColumns);
  if (!read.error.empty()) return false;
  const TableRows expected = stepped(path, "t", kColumns, kMostRows);
  // A schema whose names have changed has no such columns for SQL; the cursor reads NULL.
  if (expected.error.find("no such column") != std::string::npos) return true;
  CHECK(expected.error == "");
  CHECK((read.rows == expected.rows));
  return true;
}

struct Database {
  Database() : bytes(small_database()) {
    write_file(path, bytes);
    root = root_of(path);
  }
  TableRows read() const {
    write_file(path, bytes);
    return read_with_cursor(path, "t", kColumns);
  }
  std::size_t last_child_of(std::size_t page) const { return get(bytes, at_page(page) + 8, 4); }
  // The cells of a page: its children by their numbers, or rows.
  std::size_t cells(std::size_t page) const { return get(bytes, at_page(page) + 3, 2); }
  std::size_t cell(std::size_t page, std::size_t index) const {
    const std::size_t header_bytes = is_interior(page) ? 12 : 8;
    return at_page(page) + get(bytes, at_page(page) + header_bytes + 2 * index, 2);
  }
  bool is_interior(std::size_t page) const { return bytes.at(at_page(page)) == 5; }
  std::size_t first_child(std::size_t page) const { return get(bytes, cell(page, 0), 4); }
  std::size_t first_leaf() const {
    std::size_t page = root;
    while (is_interior(page)) page = first_child(page);
    return page;
  }
  std::size_t first_overflow_page() const {
    std::size_t page = 2;
    while (is_interior(page) || bytes.at(at_page(page)) == 13) ++page;
    return page;
  }
  void set_children(std::size_t page, std::size_t child) {
    for (std::size_t i = 0; i < cells(page); ++i) put(bytes, cell(page, i), child, 4);
    put(bytes, at_page(page) + 8, child, 4);
  }

  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "t";
  std::string bytes;
  std::size_t root = 0;
};

TEST_CASE("the small database is read whole, on overflow pages too") {
  const Database database;
  CHECK(check_same_or_error(database.path, database.bytes));
  CHECK(walked(database.path, "t", kColumns).rows.size() == kRows);
  CHECK(database.is_interior(database.root));
  CHECK(database.is_interior(database.last_child_of(database.root)));
  CHECK(database.bytes.at(at_page(database.first_overflow_page())) == 0);
}

TEST_CASE("bytes changed at random give the rows that SQLite reads, or an error") {
  const TemporaryFolder folder;
  const std::string whole = small_database();
  std::mt19937 random(11);
  int read = 0, refused = 0;
  for (int round = 0; round < 2'500; ++round) {
    std::string changed = whole;
    for (int i = 0; i <= round % 3; ++i) {
      // Every other time where it hurts: in the header of a page or the pointers to its cells.
      const std::size_t page = random() % (whole.size() / kPageBytes), at = round % 2 ? random() % 24 : random() % kPageBytes;
      changed[page * kPageBytes + at] = static_cast<char>(random());
    }
    ++(check_same_or_error(folder.path() / "t", changed) ? read : refused);
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}

TEST_CASE("pages in a circle end with an error") {
  Database database;
  const std::size_t child = database.last_child_of(database.root);
  SECTION("a page that is its own child: too deep") { put(database.bytes, at_page(child), 5, 1), put(database.bytes, at_page(child) + 8, child, 4); }
  SECTION("the root below itself") { put(database.bytes, at_page(database.root) + 8, database.root, 4); }
  CHECK(database.read().error.starts_with("damaged SQLite file ("));
}

TEST_CASE("pages that are in the table over and over end with an error, not with rows without end") {
  Database database;
  const std::size_t first = database.first_child(database.root), last = database.last_child_of(database.root), more = database.first_overflow_page();
  REQUIRE(first != last);
  database.bytes.replace(at_page(more), kPageBytes, database.bytes.substr(at_page(first), kPageBytes));
  database.set_children(database.root, first);
  database.set_children(first, more);
  database.set_children(more, last);
  CHECK(database.read().error == "damaged SQLite file (pages that belong to a table twice)");
  write_file(database.path.string() + "-journal", "SQLite alone reads it now");
  CHECK(database.read().error == "damaged SQLite file (more rows than it has room for)");
}

TEST_CASE("an endless list of overflow pages ends with an error") {
  Database database;
  const std::size_t pages = database.bytes.size() / kPageBytes;
  for (std::size_t page = 2; page <= pages; ++page) {
    const bool is_overflow = !database.is_interior(page) && database.bytes.at(at_page(page)) != 13;
    if (is_overflow) put(database.bytes, at_page(page), page, 4);  // it follows itself
  }
  check_same_or_error(database.path, database.bytes);
}

TEST_CASE("page numbers outside the file are the damage that SQLite says they are") {
  Database database;
  for (const std::uint64_t number : {std::uint64_t{0}, database.bytes.size() / kPageBytes + 1, std::uint64_t{0x7FFFFFFF}, std::uint64_t{0xFFFFFFFF}}) {
    put(database.bytes, at_page(database.root) + 8, number, 4);
    CHECK(database.read().error == "damaged SQLite file (database disk image is malformed)");
  }
}

TEST_CASE("cells outside their page are the damage that SQLite says they are") {
  Database database;
  const std::size_t leaf = database.first_leaf();
  for (const std::uint64_t at : {0, 7, 9, static_cast<int>(kPageBytes) - 1, static_cast<int>(kPageBytes), 0xFFFF}) {
    put(database.bytes, at_page(leaf) + 8, at, 2);
    CHECK(database.read().error == "damaged SQLite file (database disk image is malformed)");
  }
}

TEST_CASE("more cells than a page can have are damage") {
  Database database;
  put(database.bytes, at_page(database.first_leaf()) + 3, 0xFFFF, 2);
  CHECK(database.read().error == "damaged SQLite file (database disk image is malformed)");
}

TEST_CASE("lengths of records that lie are damage, or what SQLite makes of them, and cost no memory") {
  Database database;
  const std::size_t cell = database.cell(database.first_leaf(), 0);
  const std::string whole = database.bytes;
  SECTION("a record of 900 MB") {
    put(database.bytes, cell, 0x83ADD2C0'00, 5);
    CHECK_FALSE(check_same_or_error(database.path, database.bytes));
  }
  SECTION("a length that does not end") {
    for (std::size_t i = 0; i < 9; ++i) database.bytes[cell + i] = '\xFF';
    check_same_or_error(database.path, database.bytes);
  }
  SECTION("every value of the bytes of the record's own header") {
    for (std::size_t i = 0; i < 16; ++i) {
      for (int value = 0; value < 256; ++value) {
        std::string changed = whole;
        changed[cell + i] = static_cast<char>(value);
        check_same_or_error(database.path, changed);
      }
    }
  }
}

TEST_CASE("a file cut inside the table is an error, not fewer rows") {
  const Database database;
  const std::size_t pages = database.bytes.size() / kPageBytes;
  for (std::size_t left = 3; left < pages; left += 5) {
    write_file(database.path, database.bytes.substr(0, left * kPageBytes));
    CHECK_FALSE(read_with_cursor(database.path, "t", kColumns).error.empty());
  }
}

}  // namespace
}  // namespace gputrace::trace
