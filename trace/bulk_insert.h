// Writes many rows of numbers into a SQLite table in one statement: INSERT ... SELECT from a virtual table
// over a batch in memory. One sqlite3_step per batch instead of one per row, and no value is bound.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gputrace::trace {

// The batch of one table. Cells are appended column by column, row by row; the rest of a row may be left out
// (NULL).
class RowBatch {
 public:
  static constexpr std::size_t kMostColumns = 64;

  explicit RowBatch(std::size_t columns) : columns_(columns) {}

  void begin_row() {
    cells_.resize(cells_.size() + columns_);
    nulls_.push_back(~std::uint64_t{0});
    reals_.push_back(0);
    next_ = 0;
  }
  void add(std::int64_t value) {
    cells_[cells_.size() - columns_ + next_] = value;
    nulls_.back() &= ~(std::uint64_t{1} << next_++);
  }
  void add_real(double value);
  // All values of such a column are of this kind, or NULL.
  void add_bytes(std::string_view bytes);  // a BLOB
  void add_text(std::string_view text);    // UTF-8
  void add_null() { ++next_; }

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return nulls_.size(); }
  const std::int64_t* row(std::size_t row) const { return cells_.data() + row * columns_; }
  bool is_null(std::size_t row, std::size_t column) const { return nulls_[row] >> column & 1; }
  bool is_number(std::size_t row, std::size_t column) const { return (reals_[row] >> column & 1) == 0; }
  bool holds_text(std::size_t column) const { return text_columns_ >> column & 1; }
  bool holds_bytes(std::size_t column) const { return bytes_columns_ >> column & 1; }
  const std::string& bytes(std::int64_t cell) const { return bytes_[static_cast<std::size_t>(cell)]; }
  void clear();

 private:
  std::size_t columns_, next_ = 0;
  std::vector<std::int64_t> cells_;
  std::vector<std::uint64_t> nulls_, reals_;  // a bit per column; reals_: a double's bits, or a place in bytes_
  std::uint64_t bytes_columns_ = 0, text_columns_ = 0;  // text is bytes too
  std::vector<std::string> bytes_;
};

class BulkInsert {
 public:
  // The table must exist and have the columns; others of its columns become NULL.
  static Result<BulkInsert> create(sqlite3* database, std::string_view table,
                                   std::span<const std::string_view> columns);

  RowBatch& batch() { return *batch_; }
  // Writes the batch and empties it. False: sqlite3_errmsg() of the database tells why; the batch is kept.
  [[nodiscard]] bool flush();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  std::unique_ptr<RowBatch> batch_;  // the virtual table points to it
  std::unique_ptr<sqlite3_stmt, Finalize> insert_;
};

}  // namespace gputrace::trace
