// Rows that we encode as pages, as SQLite reads them back.
#include "trace/bulk_insert.h"

#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "trace/batch_database.h"

using namespace gputrace;
using trace::BatchDatabase;
using trace::BulkInsert;
using trace::RowBatch;
using trace::TableDefinition;

namespace {

constexpr TableDefinition kTables[] = {{"other", "a INTEGER NOT NULL"},
                                       {"t", "a INTEGER NOT NULL, skipped INTEGER, b INTEGER, r REAL, s TEXT, z INTEGER"}};
constexpr std::string_view kColumns[] = {"a", "b", "r", "s"};

struct Database {
  BatchDatabase batches{"batch"};
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection{nullptr, sqlite3_close};

  Database() {
    sqlite3* opened = nullptr;
    REQUIRE(sqlite3_open(":memory:", &opened) == SQLITE_OK);
    connection.reset(opened);
    for (const TableDefinition& table : kTables) {
      run("CREATE TABLE " + std::string(table.name) + "(" + std::string(table.columns) + ")");
    }
    REQUIRE(batches.attach(opened, kTables));
    run("BEGIN");
  }
  BulkInsert bulk(std::span<const std::string_view> columns = kColumns) {
    auto created = BulkInsert::create(connection.get(), batches, 1, "t", columns);
    REQUIRE(created);
    return std::move(*created);
  }
  std::vector<std::string> run(const std::string& sql) {
    std::vector<std::string> rows;
    const auto keep = [](void* into, int columns, char** values, char**) {
      std::string row;
      for (int i = 0; i < columns; ++i) row += (i > 0 ? "|" : "") + std::string(values[i] != nullptr ? values[i] : "NULL");
      static_cast<std::vector<std::string>*>(into)->push_back(row);
      return 0;
    };
    INFO(sql);
    CHECK(sqlite3_exec(connection.get(), sql.c_str(), keep, &rows, nullptr) == SQLITE_OK);
    return rows;
  }
};

bool flush(BulkInsert& bulk) {
  bulk.prepare();
  const bool written = bulk.write();
  bulk.batch().clear();
  return written;
}

}  // namespace

TEST_CASE("Numbers of every size come back, just below and above where SQLite's sizes change") {
  Database database;
  BulkInsert bulk = database.bulk();
  std::vector<std::int64_t> numbers{0, 1, 2, -1, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const int bits : {7, 15, 23, 31, 47}) {
    for (const std::int64_t near : {-1, 0, 1}) {
      numbers.push_back((std::int64_t{1} << bits) + near);
      numbers.push_back(-(std::int64_t{1} << bits) + near);
    }
  }
  std::vector<std::string> expected;
  for (const std::int64_t number : numbers) {
    bulk.batch().begin_row();
    bulk.batch().add(number);
    expected.push_back(std::to_string(number) + "|integer|NULL|NULL");
  }
  REQUIRE(flush(bulk));
  CHECK(database.run("SELECT a, typeof(a), b, z FROM t ORDER BY rowid") == expected);
  CHECK(database.run("PRAGMA main.integrity_check") == std::vector<std::string>{"ok"});
}

TEST_CASE("NULLs, reals, texts and bytes stand in their columns") {
  Database database;
  BulkInsert bulk = database.bulk();
  RowBatch& batch = bulk.batch();
  batch.begin_row(), batch.add(5), batch.add_null(), batch.add_real(0.5), batch.add_text("word");
  batch.begin_row(), batch.add(6), batch.add(7), batch.add_null(), batch.add_text(std::string(300, 'x'));
  batch.begin_row(), batch.add(8);
  REQUIRE(flush(bulk));
  CHECK(database.run("SELECT a, skipped, b, r, typeof(r), s, length(s), typeof(s) FROM t ORDER BY a") ==
        std::vector<std::string>{"5|NULL|NULL|0.5|real|word|4|text", "6|NULL|7|NULL|null|" + std::string(300, 'x') + "|300|text",
                                 "8|NULL|NULL|NULL|null|NULL|NULL|null"});
}

TEST_CASE("Batches of one row, of one page and of many, after each other and with other work between") {
  Database database;
  BulkInsert bulk = database.bulk();
  std::int64_t next = 0;
  for (const int rows : {1, 700, 20'000, 3, 4096}) {
    for (int i = 0; i < rows; ++i) {
      bulk.batch().begin_row();
      bulk.batch().add(next);
      bulk.batch().add(next * 1'000'003);
      bulk.batch().add_null();
      if (next % 97 == 0) bulk.batch().add_text("row " + std::to_string(next));
      ++next;
    }
    REQUIRE(flush(bulk));
    database.run("INSERT INTO other VALUES(" + std::to_string(next) + ")");
  }
  CHECK(database.run("SELECT count(*), count(DISTINCT a), min(a), max(a), count(s) FROM t WHERE b = a * 1000003 AND rowid = a + 1") ==
        std::vector<std::string>{"24800|24800|0|24799|256"});
  CHECK(database.run("SELECT count(*) FROM t WHERE s = 'row ' || a") == std::vector<std::string>{"256"});
  CHECK(database.run("SELECT count(*) FROM other") == std::vector<std::string>{"5"});
  CHECK(database.run("PRAGMA main.integrity_check") == std::vector<std::string>{"ok"});
}

TEST_CASE("Rows as large as rows can be fill pages that SQLite takes") {
  Database database;
  BulkInsert bulk = database.bulk();
  for (int i = 0; i < 50; ++i) {
    bulk.batch().begin_row();
    bulk.batch().add(i), bulk.batch().add_null(), bulk.batch().add_null();
    bulk.batch().add_bytes(std::string(20'000, static_cast<char>('a' + i % 26)));  // is cut
  }
  REQUIRE(flush(bulk));
  CHECK(database.run("SELECT count(*), min(length(s)), max(length(s)), min(typeof(s)) FROM t") ==
        std::vector<std::string>{"50|16384|16384|blob"});
  CHECK(database.run("PRAGMA main.integrity_check") == std::vector<std::string>{"ok"});
}

TEST_CASE("SQLite copies the records as they are: no column is taken out of them") {
  Database database;
  for (const std::string& step : database.run("EXPLAIN INSERT INTO main.t SELECT * FROM batch.t")) {
    CHECK(step.find("|Column|") == std::string::npos);
    CHECK(step.find("|MakeRecord|") == std::string::npos);
  }
}

TEST_CASE("Columns that are missing or out of order are refused") {
  Database database;
  constexpr std::string_view kMissing[] = {"a", "nothing"}, kOrder[] = {"b", "a"};
  CHECK_FALSE(BulkInsert::create(database.connection.get(), database.batches, 1, "t", kMissing));
  CHECK_FALSE(BulkInsert::create(database.connection.get(), database.batches, 1, "t", kOrder));
}
