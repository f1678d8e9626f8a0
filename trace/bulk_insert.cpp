#include "trace/bulk_insert.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trace/batch_database.h"

namespace gputrace::trace {
namespace {

// Where the columns stand in the table; empty where one is missing or out of order.
std::vector<int> places(sqlite3* database, std::string_view table, std::span<const std::string_view> columns) {
  std::vector<std::string> names;
  const auto keep = [](void* into, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(into)->emplace_back(values[1]);
    return 0;
  };
  sqlite3_exec(database, fmt::format("PRAGMA main.table_info(\"{}\")", table).c_str(), keep, &names, nullptr);
  std::vector<int> found;
  for (const std::string_view column : columns) {
    const auto at = std::find(names.begin(), names.end(), column);
    const auto place = static_cast<int>(at - names.begin());
    if (at == names.end() || (!found.empty() && place <= found.back())) return {};
    found.push_back(place);
  }
  return found;
}

}  // namespace

void BulkInsert::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

BulkInsert::BulkInsert(sqlite3* database, BatchDatabase& batches, std::size_t index, std::vector<int> columns)
    : database_(database), batches_(&batches), index_(index), batch_(columns.size()), encoder_(std::move(columns)) {}

Result<BulkInsert> BulkInsert::create(sqlite3* database, BatchDatabase& batches, std::size_t index, std::string_view table,
                                      std::span<const std::string_view> columns) {
  std::vector<int> found = places(database, table, columns);
  if (found.empty() || columns.size() > RowBatch::kMostColumns) {
    return fail("its columns are not those of a bulk insert", std::string(table));
  }
  BulkInsert bulk(database, batches, index, std::move(found));
  const std::string sql = fmt::format("INSERT INTO main.\"{0}\" SELECT * FROM {1}.\"{0}\"", table, batches.schema());
  sqlite3_stmt* insert = nullptr;
  if (sqlite3_prepare_v3(database, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &insert, nullptr) != SQLITE_OK) {
    return fail(fmt::format("cannot write rows ({})", sqlite3_errmsg(database)), std::string(table));
  }
  bulk.insert_.reset(insert);
  return bulk;
}

void BulkInsert::prepare() { batches_->fill(index_, batch_, encoder_); }

bool BulkInsert::write() {
  // SQLite looks at the batch's pages anew only where no transaction is open.
  if (sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) return false;
  const int step = sqlite3_step(insert_.get());
  const int reset = sqlite3_reset(insert_.get());
  if (step != SQLITE_DONE || reset != SQLITE_OK) return false;
  if (sqlite3_exec(database_, "BEGIN", nullptr, nullptr, nullptr) != SQLITE_OK) return false;
  return true;
}

}  // namespace gputrace::trace
