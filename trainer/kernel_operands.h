// What a kernel works on, for a backend that really runs it: a modelled machine has no use for it. Which tensors, extents and
// scalars a kernel takes is written beside its computation (trainer/cuda/kernels).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace trainer {

struct Tensor;

class Operand {
 public:
  // A tensor of the graph; where it lies is planned later than the op is made, so the address is looked up at the launch. Not
  // explicit: a list of operands reads as a list of tensors.
  Operand(const Tensor* tensor) : tensor_(tensor) {}
  explicit Operand(void* address) : address_(static_cast<float*>(address)) {}
  // Memory between the kernels of one op, which no tensor is: the stream's own, one piece per slot. It is zero when it is first
  // given out, and keeps what the last kernel left.
  static Operand scratch(int slot, std::int64_t floats) { return {slot, floats}; }

  bool is_scratch() const { return slot_ >= 0; }
  int slot() const { return slot_; }
  std::int64_t scratch_floats() const { return scratch_floats_; }
  float* address() const;         // of what is no scratch
  std::int64_t elements() const;  // 0 of what is given by its address alone

 private:
  Operand(int slot, std::int64_t floats) : slot_(slot), scratch_floats_(floats) {}

  const Tensor* tensor_ = nullptr;
  float* address_ = nullptr;
  int slot_ = -1;
  std::int64_t scratch_floats_ = 0;
};

struct KernelOperands {
  std::vector<Operand> tensors;  // inputs, then outputs; what is updated in place is both
  std::vector<std::int64_t> extents{};
  std::vector<float> scalars{};
  std::string_view variant{};  // where kernels of one name compute different things: which
};

}  // namespace trainer
