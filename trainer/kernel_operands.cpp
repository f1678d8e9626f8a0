#include "trainer/kernel_operands.h"

#include "trainer/op.h"

namespace trainer {

float* Operand::address() const { return tensor_ ? tensor_->data : address_; }

}  // namespace trainer
