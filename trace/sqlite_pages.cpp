#include "trace/sqlite_pages.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gputrace::trace {
namespace {

constexpr std::size_t kHeaderBytes = 100;
constexpr std::uint32_t kMostRunBytes = 256 << 10;
constexpr std::uint64_t kLockByteAt = std::uint64_t{1} << 30;  // the page of this byte is left free by SQLite

struct Header {
  std::uint32_t page_bytes = 0, reserved_bytes = 0, pages = 0, encoding = 0;
  bool is_page_count_valid = false;  // no: written by a SQLite before 3.7.0
};

std::uint32_t big_endian(const std::uint8_t* at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | at[i];
  return value;
}

Header header_of(const std::array<std::uint8_t, kHeaderBytes>& bytes) {
  const std::uint32_t page_bytes = big_endian(&bytes[16], 2);
  return {.page_bytes = page_bytes == 1 ? 65536 : page_bytes,
          .reserved_bytes = bytes[20],
          .pages = big_endian(&bytes[28], 4),
          .encoding = big_endian(&bytes[56], 4),
          .is_page_count_valid = big_endian(&bytes[24], 4) == big_endian(&bytes[92], 4)};
}

bool is_ordinary(const Header& header) {
  constexpr std::uint32_t kUtf8 = 1, kLeastPageBytes = 512, kMostPageBytes = 65536, kLeastUsableBytes = 480;
  return header.encoding == kUtf8 && header.page_bytes >= kLeastPageBytes && header.page_bytes <= kMostPageBytes &&
         (header.page_bytes & (header.page_bytes - 1)) == 0 && header.page_bytes - header.reserved_bytes >= kLeastUsableBytes;
}

}  // namespace

std::optional<SqlitePages> SqlitePages::open(sqlite3* database) {
  SqlitePages pages;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &pages.file_) != SQLITE_OK || pages.file_ == nullptr ||
      pages.file_->pMethods == nullptr)
    return std::nullopt;
  std::array<std::uint8_t, kHeaderBytes> bytes{};
  sqlite3_int64 size_bytes = 0;
  if (pages.file_->pMethods->xRead(pages.file_, bytes.data(), kHeaderBytes, 0) != SQLITE_OK ||
      pages.file_->pMethods->xFileSize(pages.file_, &size_bytes) != SQLITE_OK)
    return std::nullopt;
  const Header header = header_of(bytes);
  if (!is_ordinary(header)) return std::nullopt;
  pages.page_bytes_ = header.page_bytes;
  pages.usable_bytes_ = header.page_bytes - header.reserved_bytes;
  const auto whole_pages = static_cast<std::uint64_t>(size_bytes) / header.page_bytes;
  const std::uint64_t pages_said = header.is_page_count_valid && header.pages > 0 ? header.pages : UINT32_MAX;
  pages.page_count_ = static_cast<std::uint32_t>(std::min(whole_pages, pages_said));
  return pages;
}

bool SqlitePages::has_page(std::uint32_t number) const {
  return number >= 1 && number <= page_count_ && number != kLockByteAt / page_bytes_ + 1;
}

bool SqlitePages::read(std::uint32_t first, std::uint32_t pages, std::uint8_t* into) {
  return file_->pMethods->xRead(file_, into, static_cast<int>(pages * page_bytes_), std::int64_t{first - 1} * page_bytes_) == SQLITE_OK;
}

// Twice as many as before where the pages come in order, or nearly: those of several tables may take turns.
std::uint32_t SqlitePages::next_run_pages(std::uint32_t first) const {
  constexpr std::uint32_t kNear = 16;
  const std::uint32_t run_end = run_first_ + run_pages_;
  const bool is_in_order = run_pages_ > 0 && first >= run_end && first - run_end < kNear;
  const std::uint32_t wanted = is_in_order ? 2 * run_pages_ : 1;
  return std::min({wanted, std::max(1U, kMostRunBytes / page_bytes_), page_count_ - first + 1});
}

const std::uint8_t* SqlitePages::page(std::uint32_t number) {
  if (!is_in_run(number)) {
    if (!has_page(number)) return nullptr;
    const std::uint32_t pages = next_run_pages(number);
    const std::size_t bytes = std::size_t{pages} * page_bytes_;
    if (run_.size() < bytes + kPaddingBytes) run_.resize(bytes + kPaddingBytes);
    run_pages_ = 0;
    if (!read(number, pages, run_.data())) return nullptr;
    run_first_ = number;
    run_pages_ = pages;
  }
  if (!has_page(number)) return nullptr;  // in the middle of a run
  return run_.data() + std::size_t{number - run_first_} * page_bytes_;
}

bool SqlitePages::copy_page(std::uint32_t number, std::uint8_t* into) {
  if (!has_page(number)) return false;
  if (!is_in_run(number)) return read(number, 1, into);
  std::memcpy(into, run_.data() + std::size_t{number - run_first_} * page_bytes_, page_bytes_);
  return true;
}

}  // namespace gputrace::trace
