// Rows on their way into one table: numbers, and seldom bytes, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  // All values of such a column are of this kind, or NULL. Longer ones than kMostBytes are cut.
  static constexpr std::size_t kMostBytes = 16 << 10;
  void add_bytes(std::string_view bytes);  // a BLOB
  void add_text(std::string_view text);    // UTF-8
  void add_null() { ++next_; }

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return nulls_.size(); }
  const std::int64_t* row(std::size_t row) const { return cells_.data() + row * columns_; }
  bool is_null(std::size_t row, std::size_t column) const { return nulls_[row] >> column & 1; }
  bool is_number(std::size_t row, std::size_t column) const { return (reals_[row] >> column & 1) == 0; }
  bool has_bytes() const { return bytes_columns_ != 0; }
  bool holds_text(std::size_t column) const { return text_columns_ >> column & 1; }
  bool holds_bytes(std::size_t column) const { return bytes_columns_ >> column & 1; }
  const std::string& bytes(std::int64_t cell) const { return bytes_[static_cast<std::size_t>(cell)]; }
  std::size_t held_bytes() const { return held_bytes_; }  // of bytes and text
  void clear();

 private:
  std::size_t columns_, next_ = 0;
  std::vector<std::int64_t> cells_;
  std::vector<std::uint64_t> nulls_, reals_;  // a bit per column; reals_: a double's bits, or a place in bytes_
  std::size_t held_bytes_ = 0;
  std::uint64_t bytes_columns_ = 0, text_columns_ = 0;  // text is bytes too
  std::vector<std::string> bytes_;
};

}  // namespace gputrace::trace
