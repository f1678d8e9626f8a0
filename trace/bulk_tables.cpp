#include "trace/bulk_tables.h"

#include <utility>

#include "trace/trace_database.h"

namespace gputrace::trace {

std::vector<TableDefinition> bulk_tables() {
  std::vector<TableDefinition> tables;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Table::count); ++i) tables.push_back(definition(static_cast<Table>(i)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(FileTable::count); ++i) tables.push_back(definition(static_cast<FileTable>(i)));
  return tables;
}

BulkTables::BulkTables(TraceDatabase& database, std::string schema) : database_(database), batches_(std::move(schema)) {}

BulkTables::~BulkTables() {
  if (attached_) database_.release(inserts_, batches_);
}

bool BulkTables::open(std::size_t index, const TableDefinition& table, std::span<const std::string_view> columns) {
  if (!std::exchange(attached_, true)) database_.attach(batches_);
  inserts_[index] = database_.bulk_insert(batches_, index, table, columns);
  return inserts_[index].has_value();
}

// Encoded here, so that only SQLite's own part is done by one writer at a time. After a failure rows go nowhere.
void BulkTables::write(BulkInsert& insert) {
  insert.prepare();
  database_.write(insert);
  insert.batch().clear();
}

void BulkTables::flush() {
  for (auto& insert : inserts_) {
    if (insert && insert->batch().rows() > 0) write(*insert);
  }
  if (std::exchange(attached_, false)) database_.release(inserts_, batches_);
}

}  // namespace gputrace::trace
