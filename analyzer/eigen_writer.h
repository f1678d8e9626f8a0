// Writes an Eigen expression as a formula and as a tree; both stop where the output or the visits are full.
#pragma once

#include <string>
#include <vector>

#include "analyzer/eigen_expression.h"

namespace gputrace::analyzer {

class EigenWriter {
 public:
  EigenWriter(const EigenExpression& expression, std::size_t max_bytes);

  std::string formula();  // eigen_formula_writer.cpp
  std::string tree();     // eigen_tree_writer.cpp

 private:
  bool is_full() const { return text_.size() > max_bytes_ || visits_ > EigenExpression::kMaxVisits; }
  std::string finish();
  std::string leaf_name(NodeId id);
  std::string function_of(NodeId id, const EigenOpKind& kind);
  static std::string short_name(std::string_view identifier);

  // `binding`: of the operator around it; what binds less gets parentheses.
  void write(NodeId id, int binding);
  // A learning rate and the like: made of single numbers, however it is reshaped.
  bool is_scalar(const std::vector<NodeId>& ids);
  void write_call(const std::string& function, const std::vector<NodeId>& operands);
  // A constant may be bound to one side: scalar_left<..., op>(x) is op(c, x).
  void write_cwise(NodeId id, int binding);

  std::string describe(NodeId leaf);
  void branch(NodeId id, const std::string& indent, bool is_last, bool is_work);
  std::string op_line(NodeId id, const EigenOpKind& kind);

  const EigenExpression& expression_;
  const ParsedName& name_;
  const std::size_t max_bytes_;
  const int leaves_;
  bool updates_in_place_ = false;
  int next_leaf_ = 0;
  int visits_ = 0;
  std::string text_;
};

}  // namespace gputrace::analyzer
