#include "trainer/memory_plan.h"

#include <algorithm>

namespace trainer {

namespace {

constexpr std::size_t kAlignmentBytes = 256;  // what cudaMalloc gives

// Free ranges of a block that grows at its end.
class FreeList {
 public:
  std::size_t take(std::size_t size) {
    for (auto range = free_.begin(); range != free_.end(); ++range) {
      if (range->second < size) continue;
      const std::size_t offset = range->first;
      const std::size_t rest = range->second - size;
      free_.erase(range);
      if (rest > 0) free_[offset + size] = rest;
      return offset;
    }
    return grow(size);
  }

  void give_back(std::size_t offset, std::size_t size) {
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + size == next->first) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += size;
        return;
      }
    }
    free_[offset] = size;
  }

  std::size_t end() const { return end_; }

 private:
  std::size_t grow(std::size_t size) {
    std::size_t offset = end_;
    if (!free_.empty()) {
      const auto last = std::prev(free_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        free_.erase(last);
      }
    }
    end_ = offset + size;
    return offset;
  }

  std::map<std::size_t, std::size_t> free_;  // size by offset
  std::size_t end_ = 0;
};

std::size_t aligned_size(const Tensor& tensor) {
  return (tensor.shape.size_bytes() + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

std::map<Tensor*, std::size_t> last_uses(const std::vector<Op>& ops) {
  std::map<Tensor*, std::size_t> last;
  for (std::size_t index = 0; index < ops.size(); ++index) {
    for (Tensor* tensor : ops[index].inputs) last[tensor] = index;
    for (Tensor* tensor : ops[index].outputs) last[tensor] = index;
  }
  return last;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Op>& ops, bool share) {
  std::vector<std::vector<Tensor*>> dies_after(ops.size());
  for (const auto& [tensor, index] : last_uses(ops)) {
    if (share && !tensor->persistent) dies_after[index].push_back(tensor);
  }
  MemoryPlan plan;
  FreeList memory;
  for (std::size_t index = 0; index < ops.size(); ++index) {
    for (Tensor* tensor : ops[index].outputs) {
      if (tensor->persistent || plan.offset_bytes.contains(tensor)) continue;
      plan.offset_bytes[tensor] = memory.take(aligned_size(*tensor));
    }
    for (Tensor* tensor : dies_after[index]) {
      const auto placed = plan.offset_bytes.find(tensor);
      if (placed != plan.offset_bytes.end()) memory.give_back(placed->second, aligned_size(*tensor));
    }
  }
  plan.size_bytes = memory.end();
  return plan;
}

}  // namespace trainer
