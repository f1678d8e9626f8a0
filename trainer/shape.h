// The dimensions of a dense row-major float32 tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace trainer {

class Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<std::int64_t> dimensions) : dimensions_(dimensions) {}

  int rank() const { return static_cast<int>(dimensions_.size()); }
  std::int64_t operator[](int index) const { return dimensions_[static_cast<std::size_t>(index)]; }
  std::int64_t last() const { return dimensions_.empty() ? 1 : dimensions_.back(); }
  std::int64_t elements() const;
  std::size_t size_bytes() const { return static_cast<std::size_t>(elements()) * sizeof(float); }
  std::string text() const;  // "[32000, 1000]"

  bool operator==(const Shape&) const = default;

 private:
  std::vector<std::int64_t> dimensions_;
};

}  // namespace trainer
