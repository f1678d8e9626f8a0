#include "trace/row_batch.h"

#include <bit>

namespace gputrace::trace {

void RowBatch::add_real(double value) {
  reals_.back() |= std::uint64_t{1} << next_;
  add(std::bit_cast<std::int64_t>(value));
}

void RowBatch::add_bytes(std::string_view bytes) {
  reals_.back() |= std::uint64_t{1} << next_;
  bytes_columns_ |= std::uint64_t{1} << next_;
  add(static_cast<std::int64_t>(bytes_.size()));
  bytes_.emplace_back(bytes.substr(0, kMostBytes));
  held_bytes_ += bytes_.back().size();
}

void RowBatch::add_text(std::string_view text) {
  text_columns_ |= std::uint64_t{1} << next_;
  add_bytes(text);
}

void RowBatch::clear() {
  bytes_.clear();
  held_bytes_ = 0;
  cells_.clear();
  nulls_.clear();
  reals_.clear();
}

}  // namespace gputrace::trace
