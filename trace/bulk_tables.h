// The batches of one writer of rows: one for each table that it has rows of.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/batch_database.h"
#include "trace/bulk_insert.h"
#include "trace/export_schema.h"

namespace gputrace::trace {

class TraceDatabase;

// The tables that may be written in bulk, as BatchDatabase numbers them: those of Table, then those of FileTable.
std::vector<TableDefinition> bulk_tables();

class BulkTables {
 public:
  // `schema`: one name for each of a database's writers. At most ten of them: SQLite attaches no more.
  BulkTables(TraceDatabase& database, std::string schema);
  BulkTables(const BulkTables&) = delete;
  BulkTables& operator=(const BulkTables&) = delete;
  ~BulkTables();  // rows that were not flushed are lost

  // The batch that takes a row of a table that was declared; a full one is written first. Null after a failure.
  RowBatch* batch(Table table, std::span<const std::string_view> columns) {
    return batch(static_cast<std::size_t>(table), definition(table), columns);
  }
  RowBatch* batch(FileTable table, std::span<const std::string_view> columns) {
    return batch(static_cast<std::size_t>(Table::count) + static_cast<std::size_t>(table), definition(table), columns);
  }
  void flush();  // and no rows after it

 private:
  static constexpr std::size_t kBatchRows = 4096;     // about the size of a second-level cache
  static constexpr std::size_t kBatchBytes = 1 << 20;  // of text besides
  static constexpr std::size_t kTables = static_cast<std::size_t>(Table::count) + static_cast<std::size_t>(FileTable::count);

  RowBatch* batch(std::size_t index, const TableDefinition& table, std::span<const std::string_view> columns) {
    auto& insert = inserts_[index];
    if (!insert && !open(index, table, columns)) return nullptr;
    RowBatch& rows = insert->batch();
    if (rows.rows() >= kBatchRows || rows.held_bytes() >= kBatchBytes) write(*insert);
    return &rows;
  }
  bool open(std::size_t index, const TableDefinition& table, std::span<const std::string_view> columns);
  void write(BulkInsert& insert);

  TraceDatabase& database_;
  BatchDatabase batches_;
  bool attached_ = false;
  std::array<std::optional<BulkInsert>, kTables> inserts_;
};

}  // namespace gputrace::trace
