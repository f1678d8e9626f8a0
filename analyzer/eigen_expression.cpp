#include "analyzer/eigen_expression.h"

#include <algorithm>

#include "analyzer/eigen_writer.h"
#include "analyzer/signature_family.h"

namespace gputrace::analyzer {

std::optional<EigenExpression> EigenExpression::find(const ParsedName& name) {
  EigenExpression expression(name);
  for (const NodeId argument : name.arguments()) {
    const std::string_view identifier = name.identifier(argument);
    if (identifier != "TensorEvaluator" && identifier != "TensorReductionEvaluatorBase") continue;
    const NodeId root = name.bare(name.argument(argument, 0));
    const std::string_view op = name.identifier(root);
    expression.root_ = root;
    if (op == "TensorAssignOp") {
      expression.output_ = name.argument(root, 0);
      expression.work_ = name.argument(root, 1);
    } else {
      expression.work_ = op == "TensorEvalToOp" ? name.argument(root, 0) : root;
    }
    if (expression.work_ == kNoNode) return std::nullopt;
    return expression;
  }
  return std::nullopt;
}

const EigenOpKind* EigenExpression::op(NodeId id) const { return find_eigen_op(name_->identifier(id)); }

bool EigenExpression::is_cwise(NodeId id) const { return name_->identifier(id).starts_with("TensorCwise"); }

std::string_view EigenExpression::functor(NodeId id) const {
  NodeId at = name_->argument(id, 0);
  for (int level = 0; level < 4; ++level) {
    const std::string_view identifier = name_->identifier(at);
    if (identifier == "scalar_left" || identifier == "scalar_right") {
      at = name_->argument(at, 2);
    } else if (identifier == "bind1st_op" || identifier == "bind2nd_op") {
      at = name_->argument(at, 0);
    } else {
      return identifier;
    }
  }
  return name_->identifier(at);
}

std::vector<NodeId> EigenExpression::operands(NodeId id) const {
  const EigenOpKind* kind = op(id);
  std::vector<NodeId> ids;
  for (int i = 0; kind != nullptr && i < kind->operands; ++i) {
    const NodeId operand = name_->argument(id, static_cast<std::size_t>(kind->first_operand + i));
    if (operand != kNoNode) ids.push_back(operand);
  }
  return ids;
}

NodeId EigenExpression::main_op() const {
  NodeId id = work_;
  for (int level = 0; level < kMaxNesting; ++level) {
    const EigenOpKind* kind = op(id);
    if (kind == nullptr) break;
    const std::string_view identifier = kind->identifier;
    const bool wraps = kind->function[0] == '\0' && !is_cwise(id);
    const bool looks_through = wraps || identifier == "TensorReshapingOp" ||
                               identifier == "TensorConversionOp" || identifier == "TensorLayoutSwapOp";
    const std::vector<NodeId> below = operands(id);
    if (!looks_through || below.empty() || op(below[0]) == nullptr) break;
    id = below[0];
  }
  return id;
}

EigenOperand EigenExpression::operand(NodeId leaf) const {
  EigenOperand operand;
  NodeId tensor = name_->bare(leaf);
  if (name_->identifier(tensor) == "TensorMap" || name_->identifier(tensor) == "TensorRef") {
    operand.alignment = name_->literal(name_->argument(tensor, 1));
    tensor = name_->bare(name_->argument(tensor, 0));
  }
  const NodeId scalar = name_->argument(tensor, 0);
  operand.type = element_type(*name_, scalar);
  if (operand.type.empty()) operand.type = name_->identifier(scalar);
  operand.is_const = name_->graph()[scalar].kind == NodeKind::kQualified;
  const NodeId shape = name_->argument(tensor, 1);
  if (name_->identifier(tensor) == "TensorFixedSize") {
    const auto sizes = name_->arguments(shape);
    const bool is_pack = sizes.size() == 1 && name_->graph()[sizes[0]].kind == NodeKind::kPack;
    const std::size_t rank = is_pack ? name_->graph().children(sizes[0]).size() : sizes.size();
    operand.rank = std::to_string(rank);
    operand.is_scalar = rank == 0;
  } else {
    operand.rank = name_->literal(shape);
    operand.is_scalar = operand.rank == "0";
  }
  const std::string_view options = name_->literal(name_->argument(tensor, 2));
  if (!options.empty()) operand.layout = (options.back() - '0') % 2 == 1 ? "row-major" : "column-major";
  operand.index = name_->builtin(name_->argument(tensor, 3));
  return operand;
}

bool EigenExpression::is_writable(NodeId leaf) const {
  if (output_ == kNoNode || op(leaf) != nullptr) return false;
  const EigenOperand in = operand(leaf);
  const EigenOperand out = operand(output_);
  return !in.is_const && in.type == out.type && in.rank == out.rank && !in.is_scalar;
}

bool EigenExpression::updates_in_place() const {
  const std::vector<NodeId> sides = operands(work_);
  return is_cwise(work_) && sides.size() == 2 && is_writable(sides[0]);
}

bool EigenExpression::Contents::has(std::string_view functor) const {
  return std::find(functors.begin(), functors.end(), functor) != functors.end();
}

EigenExpression::Contents EigenExpression::contents() const {
  Contents contents;
  std::vector<NodeId> open{work_};
  for (int visits = 0; !open.empty() && visits < kMaxVisits; ++visits) {
    const NodeId id = open.back();
    open.pop_back();
    const EigenOpKind* kind = op(id);
    if (kind == nullptr) {
      ++contents.leaves;
      contents.writable_leaves += is_writable(id) ? 1 : 0;
      contents.scalars += operand(id).is_scalar ? 1 : 0;
      continue;
    }
    if (is_cwise(id) || is_eigen_reduction(*kind)) contents.functors.push_back(functor(id));
    contents.broadcasts += kind->identifier == "TensorBroadcastingOp" ? 1 : 0;
    for (const NodeId operand : operands(id)) open.push_back(operand);
  }
  return contents;
}

std::string EigenExpression::formula(std::size_t max_bytes) const {
  return EigenWriter(*this, max_bytes).formula();
}

std::string EigenExpression::tree() const { return EigenWriter(*this, 64 * 1024).tree(); }

}  // namespace gputrace::analyzer
