// Pages of an SQLite file, read through SQLite's own handle (never mapped: a mapped file that shrinks kills the process). Numbers of
// pages come from the file and are checked here. Format: https://www.sqlite.org/fileformat2.html, sections 1.2 to 1.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

struct sqlite3;
struct sqlite3_file;

namespace gputrace::trace {

class SqlitePages {
 public:
  // What may follow a page may be read too, as part of a number that is then cut to its length.
  static constexpr std::size_t kPaddingBytes = 16;

  // None where the header of the main database says anything but an ordinary file with UTF-8 text. `database` must outlive this.
  static std::optional<SqlitePages> open(sqlite3* database);

  std::uint32_t page_bytes() const { return page_bytes_; }
  std::uint32_t usable_bytes() const { return usable_bytes_; }  // of each page: the rest is reserved for extensions
  std::uint32_t page_count() const { return page_count_; }

  // The page, and after it kPaddingBytes of anything; valid until the next call. Null: the file has no such page. Pages that come in
  // the order of the file are read many at a time.
  const std::uint8_t* page(std::uint32_t number);
  // One page into `page_bytes()` at `into`, leaving what page() gave as it is. False: the file has no such page.
  bool copy_page(std::uint32_t number, std::uint8_t* into);

 private:
  bool has_page(std::uint32_t number) const;
  bool is_in_run(std::uint32_t number) const { return number >= run_first_ && number - run_first_ < run_pages_; }
  bool read(std::uint32_t first, std::uint32_t pages, std::uint8_t* into);
  std::uint32_t next_run_pages(std::uint32_t first) const;

  sqlite3_file* file_ = nullptr;
  std::uint32_t page_bytes_ = 0, usable_bytes_ = 0, page_count_ = 0;
  std::vector<std::uint8_t> run_;
  std::uint32_t run_first_ = 1, run_pages_ = 0;  // what `run_` holds
};

}  // namespace gputrace::trace
