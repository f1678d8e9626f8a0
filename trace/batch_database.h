// A database in memory that SQLite reads and we write: the rows of a batch as pages of a table's b-tree, so that SQLite copies
// their records as they are (the transfer optimization of INSERT INTO ... SELECT * between tables of the same columns) instead of
// taking each value by a call. The format: https://www.sqlite.org/fileformat2.html.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/export_schema.h"
#include "trace/result.h"
#include "trace/row_batch.h"

struct sqlite3;

namespace gputrace::trace {

class RecordEncoder;

class BatchDatabase {
 public:
  explicit BatchDatabase(std::string schema) : schema_(std::move(schema)) {}
  BatchDatabase(const BatchDatabase&) = delete;
  BatchDatabase& operator=(const BatchDatabase&) = delete;

  const std::string& schema() const { return schema_; }  // the name by which statements reach it

  // Attaches it, outside of a transaction, with these tables, all empty. To be done once; this outlives the connection.
  [[nodiscard]] Result<void> attach(sqlite3* database, std::span<const TableDefinition> tables);

  // The rows are the table's until the next call, for any table. Outside of a transaction: in one, SQLite keeps to what it has read.
  // `rows` hold at most kMostRowBytes when encoded.
  static constexpr std::size_t kMostRowBytes = 8 << 20;
  void fill(std::size_t table, const RowBatch& rows, RecordEncoder& encoder);

 private:
  static constexpr std::size_t kPageBytes = 65536;

  std::uint8_t* page(std::uint32_t number) { return image_.get() + (number - 1) * kPageBytes; }
  void changed();

  std::string schema_;
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::uint8_t, Free> image_;  // SQLite reads it where it is
  std::vector<std::uint32_t> roots_;
  std::uint32_t first_leaf_ = 0, pages_ = 0, changes_ = 0;
};

}  // namespace gputrace::trace
