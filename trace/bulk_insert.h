// Writes many rows into a SQLite table in one statement, without a call for each value: see BatchDatabase.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "trace/record_encoder.h"
#include "trace/result.h"
#include "trace/row_batch.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gputrace::trace {

class BatchDatabase;

class BulkInsert {
 public:
  // `table`, of that name, exists in the main database and is number `index` of those that `batches` has. The columns stand in
  // the order of the table's; others of its columns become NULL.
  static Result<BulkInsert> create(sqlite3* database, BatchDatabase& batches, std::size_t index, std::string_view table,
                                   std::span<const std::string_view> columns);

  RowBatch& batch() { return batch_; }
  // Encodes the batch; touches nothing that another thread's inserts do. write() then writes it, in a transaction
  // of its own: the open one is committed, and another begun after. False: sqlite3_errmsg() of the database tells why.
  void prepare();
  [[nodiscard]] bool write();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  BulkInsert(sqlite3* database, BatchDatabase& batches, std::size_t index, std::vector<int> columns);

  sqlite3* database_;
  BatchDatabase* batches_;
  std::size_t index_;
  RowBatch batch_;
  RecordEncoder encoder_;
  std::unique_ptr<sqlite3_stmt, Finalize> insert_;
};

}  // namespace gputrace::trace
