// The ops and scalar functions of Eigen's Tensor module (Eigen 3.3 and 3.4,
// unsupported/Eigen/CXX11/src/Tensor).
#pragma once

#include <string_view>

namespace gputrace::analyzer {

struct EigenOpKind {
  std::string_view identifier;  // "TensorPaddingOp"
  const char* function;         // "pad", as the formula writes it; "" for what only wraps its operand
  const char* operation;        // "padding"
  const char* op_class;
  int first_operand;  // index among the template arguments
  int operands;
};

// The scalar functions of TensorCwise*Op and the reducers.
struct EigenFunctor {
  std::string_view identifier;  // "scalar_sum_op"
  const char* symbol;           // "+" or "exp"
  bool is_infix;
};

// nullptr for what is none.
const EigenOpKind* find_eigen_op(std::string_view identifier);
const EigenFunctor* find_eigen_functor(std::string_view identifier);

bool is_eigen_reduction(const EigenOpKind& op);

}  // namespace gputrace::analyzer
