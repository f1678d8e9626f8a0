// Reads one spool file block by block. Trusts nothing: a block that is cut, damaged or out of bounds ends the
// reading, and damage() says where.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collector/spool_layout.h"
#include "trace/result.h"

namespace gputrace::collector {

class SpoolReader {
 public:
  // Fails where the file cannot be read or is no spool.
  static Result<SpoolReader> open(const std::filesystem::path& path);

  struct Block {
    std::uint32_t lane = 0;
    std::span<const std::uint8_t> payload;  // until the next call
  };
  bool next(Block& block);
  void rewind();

  const spool::FileHeader& header() const { return header_; }
  bool header_is_intact() const { return header_is_intact_; }
  const std::string& damage() const { return damage_; }  // "": read to the end without one
  std::uint64_t position_bytes() const { return position_; }
  std::uint64_t size_bytes() const { return size_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit SpoolReader(std::FILE* file) : file_(file) {}
  bool stop(const char* what);

  std::unique_ptr<std::FILE, CloseFile> file_;
  spool::FileHeader header_;
  bool header_is_intact_ = false;
  std::vector<std::uint8_t> payload_;
  std::uint64_t position_ = 0, size_ = 0;
  std::uint32_t sequence_ = 0;
  std::string damage_;
};

// A record of type R, as far as it was written; what a shorter one leaves out is R's default, what a longer one adds
// is skipped.
template <class R>
R record_as(std::span<const std::uint8_t> bytes) {
  R record{};
  std::memcpy(static_cast<void*>(&record), bytes.data(), std::min(bytes.size(), sizeof record));
  return record;
}

// Calls visit(header, bytes) for each record of a block. False: a length that does not fit.
template <class Visit>
bool for_each_record(std::span<const std::uint8_t> payload, Visit&& visit) {
  while (payload.size() >= sizeof(spool::RecordHeader)) {
    const auto header = record_as<spool::RecordHeader>(payload);
    const std::size_t bytes = std::size_t{header.words} * 8;
    if (bytes == 0 || bytes > payload.size()) return false;
    visit(header, payload.first(bytes));
    payload = payload.subspan(bytes);
  }
  return payload.empty();
}

}  // namespace gputrace::collector
