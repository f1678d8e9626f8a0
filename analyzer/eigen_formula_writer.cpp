#include <algorithm>

#include "analyzer/eigen_writer.h"

namespace gputrace::analyzer {

std::string EigenWriter::formula() {
  text_ = "y = ";
  updates_in_place_ = expression_.updates_in_place();
  write(expression_.work(), 0);
  return finish();
}

void EigenWriter::write(NodeId id, int binding) {
  ++visits_;
  if (is_full()) return;
  const EigenOpKind* kind = expression_.op(id);
  if (kind == nullptr) {
    text_ += leaf_name(id);
  } else if (expression_.is_cwise(id)) {
    write_cwise(id, binding);
  } else {
    const std::vector<NodeId> operands = expression_.operands(id);
    const std::string function = function_of(id, *kind);
    const bool is_stretched_scalar = (function == "bcast" || function == "reshape") && is_scalar(operands);
    if ((function.empty() || is_stretched_scalar) && operands.size() == 1) return write(operands[0], binding);
    write_call(function, operands);
  }
}

bool EigenWriter::is_scalar(const std::vector<NodeId>& ids) {
  return std::all_of(ids.begin(), ids.end(), [&](NodeId id) {
    if (++visits_ > EigenExpression::kMaxVisits) return false;
    return expression_.op(id) == nullptr ? expression_.operand(id).is_scalar
                                         : is_scalar(expression_.operands(id));
  });
}

void EigenWriter::write_call(const std::string& function, const std::vector<NodeId>& operands) {
  text_ += function + "(";
  if (operands.empty()) text_ += "...";  // cut off
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) text_ += ", ";
    write(operands[i], 0);
  }
  text_ += ")";
}

void EigenWriter::write_cwise(NodeId id, int binding) {
  const std::string_view identifier = expression_.functor(id);
  const EigenFunctor* functor = find_eigen_functor(identifier);
  const std::string symbol = functor != nullptr ? functor->symbol : short_name(identifier);
  const std::vector<NodeId> operands = expression_.operands(id);
  const std::string_view bind = name_.identifier(name_.argument(id, 0));
  const bool binds_left = bind == "scalar_left" || bind == "bind1st_op";
  const bool binds_right = bind == "scalar_right" || bind == "bind2nd_op";
  if (operands.empty()) {
    text_ += symbol == "c" ? "c" : symbol + "()";
    return;
  }
  const bool is_infix =
      functor != nullptr && functor->is_infix && (operands.size() == 2 || binds_left || binds_right);
  const int own = !is_infix ? 0 : symbol == "*" || symbol == "/" ? 3 : symbol == "+" || symbol == "-" ? 2 : 1;
  const bool parenthesised = !is_infix || own < binding;
  if (!is_infix) text_ += symbol;
  if (parenthesised) text_ += "(";
  const std::string between = is_infix ? " " + symbol + " " : ", ";
  if (binds_left) text_ += "c" + between;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) text_ += between;
    const bool is_right = i > 0 || binds_left;
    write(operands[i], is_infix && is_right ? own + 1 : own);
  }
  if (binds_right) text_ += between + "c";
  if (parenthesised) text_ += ")";
}

}  // namespace gputrace::analyzer
