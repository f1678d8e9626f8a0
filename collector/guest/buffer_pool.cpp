#include "collector/guest/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

namespace gputrace::guest {

bool BufferPool::create(std::size_t total_bytes, std::size_t buffer_bytes) noexcept {
  count_ = std::clamp<std::size_t>(total_bytes / buffer_bytes, 1, kMaxBuffers);
  buffer_bytes_ = buffer_bytes;
  void* memory = mmap(nullptr, count_ * buffer_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<std::uint8_t*>(memory);
  for (std::size_t i = 0; i < count_; ++i)
    free_[i / 64].fetch_or(std::uint64_t{1} << (i % 64), std::memory_order_relaxed);
  return true;
}

std::uint8_t* BufferPool::acquire() noexcept {
  for (std::size_t word = 0; word * 64 < count_; ++word) {
    std::uint64_t bits = free_[word].load(std::memory_order_relaxed);
    while (bits != 0) {
      const std::uint64_t lowest = bits & (~bits + 1);
      bits = free_[word].fetch_and(~lowest, std::memory_order_acquire);
      if (bits & lowest)
        return base_ + (word * 64 + static_cast<std::size_t>(std::countr_zero(lowest))) * buffer_bytes_;
      bits &= ~lowest;  // another thread was faster
    }
  }
  return nullptr;
}

void BufferPool::release(std::uint8_t* buffer) noexcept {
  const std::size_t index = static_cast<std::size_t>(buffer - base_) / buffer_bytes_;
  free_[index / 64].fetch_or(std::uint64_t{1} << (index % 64), std::memory_order_release);
}

}  // namespace gputrace::guest
