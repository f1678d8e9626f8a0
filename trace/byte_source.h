// The bytes of a file in order, inflated where the file is gzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "trace/result.h"

namespace gputrace::trace {

class ByteSource {
 public:
  static Result<ByteSource> open(const std::filesystem::path& path, bool is_gzip);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // Fills `out` as far as there are bytes; 0 at the end. A gzip file that is cut off or damaged ends there
  // too, and is_cut_off() tells.
  std::size_t read(std::span<char> out);
  bool is_cut_off() const;
  // Bytes of the file taken so far, for progress.
  std::uintmax_t file_bytes_read() const;

 private:
  struct Impl;
  explicit ByteSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gputrace::trace
