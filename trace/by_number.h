// Values by the numbers that a file gives out for them, nearly always from 1 on: those are in a row, others cost more, and none costs
// memory that the file itself does not have.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gputrace::trace {

template <class Value>
class ByNumber {
 public:
  // Null where the number was not given out, or, among dense ones, a default value.
  const Value* find(std::uint64_t number) const {
    if (number < dense_.size()) return &dense_[number];
    const auto found = sparse_.find(number);
    return found == sparse_.end() ? nullptr : &found->second;
  }
  Value value(std::uint64_t number) const {
    const Value* const found = find(number);
    return found == nullptr ? Value{} : *found;
  }
  void set(std::uint64_t number, Value value) {
    constexpr std::uint64_t kFirstRoom = 64;
    if (number >= dense_.size() && number < kFirstRoom + 2 * dense_.size()) grow(number + 1);
    (number < dense_.size() ? dense_[number] : sparse_[number]) = std::move(value);
  }

 private:
  void grow(std::uint64_t size) {
    for (std::uint64_t number = dense_.size(); number < size; ++number) {
      const auto found = sparse_.find(number);
      dense_.push_back(found == sparse_.end() ? Value{} : std::move(found->second));
      if (found != sparse_.end()) sparse_.erase(found);
    }
  }

  std::vector<Value> dense_;
  std::unordered_map<std::uint64_t, Value> sparse_;
};

}  // namespace gputrace::trace
