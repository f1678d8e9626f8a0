// The expression tree that Eigen's Tensor module writes into the type of its kernels:
// EigenMetaKernel<TensorEvaluator<TensorAssignOp<LHS, RHS>, Device>, Index>.
// Names and order of template arguments: Eigen 3.3 and 3.4, unsupported/Eigen/CXX11/src/Tensor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/eigen_ops.h"
#include "analyzer/parsed_name.h"

namespace gputrace::analyzer {

// An operand: TensorMap<Tensor<float const, 4, 1, long>, 16>.
struct EigenOperand {
  std::string type;       // "float"
  std::string rank;       // "4"; "" where unknown
  std::string layout;     // "row-major", "column-major" or ""
  std::string index;      // "long"
  std::string alignment;  // "16", "0" (unaligned) or ""
  bool is_const = false;
  bool is_scalar = false;
};

class EigenExpression {
 public:
  static constexpr int kMaxVisits = 4096;  // of a walk over parts that repeat by reference

  // nullopt where the kernel's name holds no expression, as for contractions.
  static std::optional<EigenExpression> find(const ParsedName& name);

  const ParsedName& name() const { return *name_; }
  NodeId output() const { return output_; }  // kNoNode where the kernel writes to a plain pointer
  NodeId work() const { return work_; }      // what is computed: the right-hand side of the assignment
  NodeId root() const { return root_; }

  // The op that names the kernel: the right-hand side, looked at through wrappers, casts and reshapes of
  // other ops.
  NodeId main_op() const;

  const EigenOpKind* op(NodeId id) const;  // nullptr for operands
  bool is_cwise(NodeId id) const;
  std::string_view functor(NodeId id) const;  // identifier of a functor or reducer; binds looked through
  std::vector<NodeId> operands(NodeId id) const;
  EigenOperand operand(NodeId leaf) const;
  // What the name says of the paddings, broadcast factors, reduced dimensions and the like of an op:
  // "4 pairs at run time", "[1, ?]" (? at run time); "" where it says nothing.
  std::string parameters(NodeId id) const;
  // Of the result's shape and not const: an operand that the program also writes, as a variable and its
  // moments.
  bool is_writable(NodeId leaf) const;
  // y = y op ...: the first operand is a variable that gets a new value, as in an optimiser.
  bool updates_in_place() const;

  // "y = a * bcast(b)"; cut with "..." after max_bytes.
  std::string formula(std::size_t max_bytes) const;
  std::string tree() const;

  struct Contents {  // of the work, as far as 4,096 nodes
    int leaves = 0;
    int broadcasts = 0;
    int writable_leaves = 0;
    int scalars = 0;
    std::vector<std::string_view> functors;
    bool has(std::string_view functor) const;
  };
  Contents contents() const;

 private:
  explicit EigenExpression(const ParsedName& name) : name_(&name) {}

  const ParsedName* name_;
  NodeId root_ = kNoNode;
  NodeId output_ = kNoNode;
  NodeId work_ = kNoNode;
};

}  // namespace gputrace::analyzer
