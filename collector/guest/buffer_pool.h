// A fixed number of equal buffers in one mapping that is touched only as far as used. Lock-free, and reuses low
// addresses first, since fresh pages are dear.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gputrace::guest {

class BufferPool {
 public:
  // False where the mapping fails. At most kMaxBuffers buffers, at least one.
  bool create(std::size_t total_bytes, std::size_t buffer_bytes) noexcept;

  std::uint8_t* acquire() noexcept;  // null: none free
  void release(std::uint8_t* buffer) noexcept;
  std::size_t buffer_bytes() const noexcept { return buffer_bytes_; }
  std::size_t count() const noexcept { return count_; }

 private:
  static constexpr std::size_t kWords = 256, kMaxBuffers = kWords * 64;
  std::uint8_t* base_ = nullptr;
  std::size_t buffer_bytes_ = 0, count_ = 0;
  std::array<std::atomic<std::uint64_t>, kWords> free_{};  // a set bit is a free buffer
};

}  // namespace gputrace::guest
