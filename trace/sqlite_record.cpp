#include "trace/sqlite_record.h"

#include <array>
#include <bit>
#include <cstring>

namespace gputrace::trace {
namespace {

// Serial types: what a value is, and how long.
enum : std::uint32_t { kNull = 0, kInt8 = 1, kInt64 = 6, kReal = 7, kZero = 8, kOne = 9, kFirstBlob = 12 };
constexpr std::array<std::uint8_t, kFirstBlob> kBytes{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
constexpr std::uint64_t kMostType = INT32_MAX;
constexpr std::uint64_t kMostHeaderBytes = 98'307;  // 32767 columns, as in SQLite

// Two's complement, big endian, 1 to 8 bytes; 8 are read.
std::int64_t integer_at(const std::uint8_t* at, std::uint32_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return static_cast<std::int64_t>(__builtin_bswap64(value)) >> (64 - 8 * bytes);
}

// False: left to SQLite.
bool decode_value(std::uint32_t type, std::uint32_t bytes, const std::uint8_t* at, SqliteCell& cell) {
  if (type >= kInt8 && type <= kInt64)
    cell = {.value = integer_at(at, bytes), .type = CellType::integer};
  else if (type == kNull)
    cell = {};
  else if (type == kZero || type == kOne)
    cell = {.value = type - kZero, .type = CellType::integer};
  else if (type >= kFirstBlob)
    cell = {.text = reinterpret_cast<const char*>(at), .text_bytes = bytes, .type = CellType::other};
  else
    return false;  // kReal, or reserved
  return true;
}

}  // namespace

Decoded decode_record(std::span<const std::uint8_t> bytes, std::uint64_t record_bytes, std::span<const RecordColumn> columns,
                      std::span<SqliteCell> cells) {
  const std::uint8_t* const begin = bytes.data();
  std::uint64_t header_bytes = 0;
  const std::uint8_t* type_at = read_varint(begin, begin + bytes.size(), header_bytes);
  // Every record has a column.
  if (type_at == nullptr || header_bytes <= static_cast<std::uint64_t>(type_at - begin) || header_bytes > kMostHeaderBytes) return Decoded::unknown;
  if (header_bytes > bytes.size()) return bytes.size() < record_bytes ? Decoded::needs_more : Decoded::unknown;
  const std::uint8_t* const types_end = begin + header_bytes;
  std::uint64_t offset = header_bytes;

  for (const RecordColumn& column : columns) {
    if (type_at == types_end) {
      if (offset != record_bytes || column.has_default) return Decoded::unknown;
      if (column.cell != RecordColumn::kNotWanted) cells[static_cast<std::size_t>(column.cell)] = {};
      continue;
    }
    std::uint64_t type = *type_at;
    if (type < 0x80)
      ++type_at;
    else if (type_at = read_varint(type_at, types_end, type); type_at == nullptr || type > kMostType)
      return Decoded::unknown;
    const auto length = static_cast<std::uint32_t>(type < kFirstBlob ? kBytes[type] : (type - kFirstBlob) / 2);
    if (length > record_bytes - offset) return Decoded::unknown;
    if (column.cell != RecordColumn::kNotWanted) {
      if (offset + length > bytes.size()) return Decoded::needs_more;
      if (!decode_value(static_cast<std::uint32_t>(type), length, begin + offset, cells[static_cast<std::size_t>(column.cell)])) return Decoded::unknown;
    }
    offset += length;
  }
  return type_at == types_end && offset != record_bytes ? Decoded::unknown : Decoded::all;
}

}  // namespace gputrace::trace
