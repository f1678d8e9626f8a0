// Expressions in template arguments and decltype, as names of generic code hold them.
#include "analyzer/mangled_parser.h"

namespace gputrace::analyzer {

NodeId MangledParser::expression() {
  const Nesting nesting(*this);
  if (failed_) return kNoNode;
  if (peek() == 'L') return literal();
  if (peek() == 'T') return template_parameter();
  if (take("fp") || take("fL")) return function_parameter();
  if (take("sr")) return scoped_name();
  if (take("cv")) return listed_expression("cast", true, false);
  if (take("cl")) return listed_expression("()", false, true);
  if (take("tl")) return listed_expression("{}", true, true);
  if (take("il")) return listed_expression("{}", false, true);
  if (take("st")) return type_expression("sizeof ");
  if (take("at")) return type_expression("alignof ");
  if (take("sp")) return operand_expression("...", 1);
  if (take("sZ")) return operand_expression("sizeof...", 1);
  if (take("sP")) return listed_expression("sizeof...", false, true);
  if (is_digit(peek()) || take("on")) return plain_name();
  const MangledOperator* op = operator_code();
  if (op == nullptr || op->operands == 0) return fail();
  if (op->code == "pp" || op->code == "mm") take('_');
  return operand_expression(op->symbol, op->operands);
}

const MangledOperator* MangledParser::operator_code() {
  const MangledOperator* op = find_mangled_operator(text_.substr(pos_, 2));
  if (op != nullptr) pos_ += 2;
  return op;
}

NodeId MangledParser::decltype_type() {
  pos_ += 2;
  const NodeId of = expression();
  if (!take('E')) return fail();
  return add({.text = "decltype", .kind = NodeKind::kExpression}, {of});
}

NodeId MangledParser::plain_name() {
  const NodeId id = unqualified_name(kNoNode, nullptr);
  return peek() == 'I' ? template_arguments(id) : id;
}

NodeId MangledParser::function_parameter() {
  while (is_digit(peek()) || peek() == 'p' || peek() == 'K') ++pos_;
  if (!take('_')) return fail();
  return add({.text = "parameter", .kind = NodeKind::kIdentifier});
}

NodeId MangledParser::scoped_name() {
  const bool is_chain = take('N');  // "srN type part... E name"; the plain form has one type and no E
  NodeId scope = type();
  while (scope != kNoNode && is_chain && more()) {
    scope = unqualified_name(scope, nullptr);
    if (peek() == 'I') scope = template_arguments(scope);
  }
  if (scope == kNoNode) return fail();
  const NodeId id = unqualified_name(scope, nullptr);
  return peek() == 'I' ? template_arguments(id) : id;
}

NodeId MangledParser::type_expression(std::string_view symbol) {
  const NodeId of = type();
  return add({.text = symbol, .kind = NodeKind::kExpression}, {of});
}

NodeId MangledParser::operand_expression(std::string_view symbol, int operands) {
  const std::size_t mark = stack_.size();
  for (int i = 0; i < operands; ++i) push(expression());
  return add_from_stack({.text = symbol, .kind = NodeKind::kExpression}, mark);
}

NodeId MangledParser::listed_expression(std::string_view symbol, bool typed, bool closed) {
  const std::size_t mark = stack_.size();
  if (typed) push(type());
  if (closed || take('_')) {
    while (more()) push(expression());
  } else {
    push(expression());
  }
  return add_from_stack({.text = symbol, .kind = NodeKind::kExpression}, mark);
}

}  // namespace gputrace::analyzer
