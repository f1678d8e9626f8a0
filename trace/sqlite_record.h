// The record format of SQLite: the values of some columns out of the bytes of one row.
// Format: https://www.sqlite.org/fileformat2.html, section 2.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gputrace::trace {

enum class CellType : std::uint8_t { null, integer, other };

struct SqliteCell {
  std::int64_t value = 0;      // 0 unless an integer
  const char* text = nullptr;  // of text and blobs; borrowed
  std::uint32_t text_bytes = 0;
  CellType type = CellType::null;
};

// A varint in [at, end): nothing past `end` is read. Null: it does not end there.
inline const std::uint8_t* read_varint(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t& value) {
  constexpr int kMostBytes = 9;
  value = 0;
  for (int i = 0; i < kMostBytes && at < end; ++i, ++at) {
    if (i == kMostBytes - 1) return value = value << 8 | *at, at + 1;
    value = value << 7 | (*at & 0x7F);
    if (*at < 0x80) return at + 1;
  }
  return nullptr;
}

// What is wanted of a column of the record.
struct RecordColumn {
  static constexpr std::int32_t kNotWanted = -1;
  std::int32_t cell = kNotWanted;
  bool has_default = false;  // rows written before the column was added lack it and have the default of the schema
};

enum class Decoded : std::uint8_t {
  all,
  needs_more,  // a value lies beyond the bytes given
  unknown      // damaged, or a value that is left to SQLite: a number with a fraction, a default
};

// Reads `columns`, those of the record from the first on, into `cells`. `bytes` are the first ones of a record of `record_bytes`; 8 bytes
// of anything must follow them in memory.
Decoded decode_record(std::span<const std::uint8_t> bytes, std::uint64_t record_bytes, std::span<const RecordColumn> columns,
                      std::span<SqliteCell> cells);

}  // namespace gputrace::trace
