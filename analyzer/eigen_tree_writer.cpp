#include "analyzer/eigen_writer.h"

namespace gputrace::analyzer {

std::string EigenWriter::tree() {
  const std::string_view root = name_.identifier(expression_.root());
  text_ = std::string(name_.base()) + "\n";
  if (root == "TensorAssignOp") {
    updates_in_place_ = expression_.updates_in_place();
    text_ += "└─ assign: only writes the result  (TensorAssignOp)\n";
    text_ += "   ├─ y: " + describe(expression_.output()) + "\n";
  } else {
    text_ += "└─ evaluate into a buffer  (" + std::string(root) + ")\n";
  }
  branch(expression_.work(), "   ", true, true);
  return finish();
}

std::string EigenWriter::describe(NodeId leaf) {
  const EigenOperand operand = expression_.operand(leaf);
  std::string text = operand.type.empty() ? std::string("?") : operand.type;
  if (!operand.rank.empty()) text += ", rank " + operand.rank;
  if (!operand.layout.empty()) text += ", " + operand.layout;
  if (!operand.alignment.empty()) text += operand.alignment == "0" ? ", unaligned" : ", aligned";
  text += operand.is_const ? ", read only" : "";
  return text + "  (" + std::string(name_.identifier(leaf)) + ")";
}

void EigenWriter::branch(NodeId id, const std::string& indent, bool is_last, bool is_work) {
  ++visits_;
  if (is_full()) return;
  text_ += indent + (is_last ? "└─ " : "├─ ");
  const EigenOpKind* kind = expression_.op(id);
  if (kind == nullptr) {
    text_ += leaf_name(id) + ": " + describe(id) + "\n";
    return;
  }
  text_ += op_line(id, *kind) + (is_work ? "  <- the work" : "") + "\n";
  const std::vector<NodeId> operands = expression_.operands(id);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    branch(operands[i], indent + (is_last ? "   " : "│  "), i + 1 == operands.size(), false);
  }
}

std::string EigenWriter::op_line(NodeId id, const EigenOpKind& kind) {
  std::string line;
  if (expression_.is_cwise(id)) {
    const EigenFunctor* functor = find_eigen_functor(expression_.functor(id));
    line = functor != nullptr ? functor->symbol : short_name(expression_.functor(id));
  } else {
    line = function_of(id, kind);
    if (line.empty()) line = kind.operation;
  }
  const std::string parameters = expression_.parameters(id);
  if (!parameters.empty()) line += "  " + parameters;
  return line + "  (" + std::string(kind.identifier) + ")";
}

}  // namespace gputrace::analyzer
