// A row as SQLite's record format has it: https://www.sqlite.org/fileformat2.html#record_format.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/row_batch.h"

namespace gputrace::trace {

// Appends a varint of SQLite: 7 bits a byte, the highest first. `value`: at most 2^56 - 1.
std::uint8_t* put_varint(std::uint8_t* at, std::uint64_t value);

class RecordEncoder {
 public:
  // `columns`: the place in the table of each column of the batch, ascending; others of the table are NULL.
  explicit RecordEncoder(std::vector<int> columns) : columns_(std::move(columns)) {}

  // The row's record, until the next call. NULLs at its end are left out: SQLite reads what a record lacks as NULL.
  std::span<const std::uint8_t> encode(const RowBatch& batch, std::size_t row);

 private:
  std::vector<int> columns_;
  std::vector<std::uint8_t> header_, body_, record_;
};

}  // namespace gputrace::trace
