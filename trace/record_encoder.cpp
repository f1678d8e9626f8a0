#include "trace/record_encoder.h"

#include <bit>
#include <cstring>

namespace gputrace::trace {
namespace {

// Serial types.
constexpr std::uint8_t kNull = 0, kDouble = 7, kZero = 8, kOne = 9;
constexpr std::uint64_t kBlob = 12, kText = 13;
constexpr std::size_t kMostVarintBytes = 8;

std::uint8_t* put_big_endian(std::uint8_t* at, std::uint64_t value, int bytes) {
  const std::uint64_t swapped = __builtin_bswap64(value << (64 - 8 * bytes));
  std::memcpy(at, &swapped, sizeof swapped);  // room for 8 is there
  return at + bytes;
}

// The smallest that holds the value, as SQLite itself writes it.
std::uint8_t* put_integer(std::int64_t value, std::uint8_t*& header, std::uint8_t* body) {
  if (value == 0 || value == 1) return *header++ = value == 0 ? kZero : kOne, body;
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? ~value : value);
  const int bits = std::bit_width(magnitude) + 1;
  constexpr std::uint8_t kBytes[] = {0, 1, 2, 3, 4, 6, 8};
  const std::uint8_t type = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 24 ? 3 : bits <= 32 ? 4 : bits <= 48 ? 5 : 6;
  *header++ = type;
  return put_big_endian(body, static_cast<std::uint64_t>(value), kBytes[type]);
}

}  // namespace

std::uint8_t* put_varint(std::uint8_t* at, std::uint64_t value) {
  if (value < 0x80) return *at++ = static_cast<std::uint8_t>(value), at;
  const int bytes = (std::bit_width(value) + 6) / 7;
  for (int i = bytes - 1; i >= 0; --i) *at++ = static_cast<std::uint8_t>((value >> (7 * i) & 0x7F) | (i > 0 ? 0x80 : 0));
  return at;
}

std::span<const std::uint8_t> RecordEncoder::encode(const RowBatch& batch, std::size_t row) {
  const std::int64_t* cells = batch.row(row);
  std::size_t used = batch.columns();
  while (used > 0 && batch.is_null(row, used - 1)) --used;
  std::size_t bytes = 0;
  for (std::size_t i = 0; batch.has_bytes() && i < used; ++i) {
    if (!batch.is_null(row, i) && batch.holds_bytes(i)) bytes += batch.bytes(cells[i]).size();
  }
  const std::size_t table_columns = used == 0 ? 0 : static_cast<std::size_t>(columns_[used - 1]) + 1;
  header_.resize(table_columns * kMostVarintBytes + kMostVarintBytes);
  body_.resize(used * 8 + 8 + bytes);
  std::uint8_t *header = header_.data(), *body = body_.data();
  int next = 0;  // column of the table
  for (std::size_t i = 0; i < used; ++i) {
    for (; next < columns_[i]; ++next) *header++ = kNull;
    ++next;
    if (batch.is_null(row, i)) {
      *header++ = kNull;
    } else if (batch.is_number(row, i)) {
      body = put_integer(cells[i], header, body);
    } else if (batch.holds_bytes(i)) {
      const std::string& text = batch.bytes(cells[i]);
      header = put_varint(header, (batch.holds_text(i) ? kText : kBlob) + 2 * text.size());
      std::memcpy(body, text.data(), text.size());
      body += text.size();
    } else {
      *header++ = kDouble;
      body = put_big_endian(body, static_cast<std::uint64_t>(cells[i]), 8);
    }
  }
  const auto header_bytes = static_cast<std::size_t>(header - header_.data()), body_bytes = static_cast<std::size_t>(body - body_.data());
  const std::size_t whole_header = header_bytes + (header_bytes < 0x7F ? 1 : 2);  // its size counts itself
  record_.resize(whole_header + body_bytes);
  std::uint8_t* at = put_varint(record_.data(), whole_header);
  std::memcpy(at, header_.data(), header_bytes);
  std::memcpy(at + header_bytes, body_.data(), body_bytes);
  return record_;
}

}  // namespace gputrace::trace
