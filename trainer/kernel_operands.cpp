#include "trainer/kernel_operands.h"

#include "trainer/op.h"

namespace trainer {

float* Operand::address() const { return tensor_ ? tensor_->data : address_; }

std::int64_t Operand::elements() const { return tensor_ ? tensor_->elements() : scratch_floats_; }

}  // namespace trainer
