// Template arguments and parameters, literals, and substitutions (parts repeated by reference).
#include "analyzer/mangled_parser.h"

namespace gputrace::analyzer {

NodeId MangledParser::template_arguments(NodeId of) {
  const Nesting nesting(*this);
  if (failed_ || !take('I')) return of;
  const std::size_t mark = stack_.size();
  stack_.push_back(of);
  while (more()) push(template_argument());
  const NodeId id = graph_.add({.kind = NodeKind::kTemplate}, std::span<const NodeId>(stack_).subspan(mark));
  stack_.resize(mark);
  if (id == kNoNode) failed_ = true;
  return id == kNoNode ? of : id;
}

NodeId MangledParser::template_argument() {
  const Nesting nesting(*this);
  if (failed_) return kNoNode;
  if (peek() == 'L') return literal();
  if (take('X')) {
    const NodeId value = expression();
    return take('E') ? value : fail();
  }
  if (take('J')) {
    const std::size_t mark = stack_.size();
    while (more()) push(template_argument());
    return add_from_stack({.kind = NodeKind::kPack}, mark);
  }
  return type();
}

NodeId MangledParser::literal() {
  if (!take('L')) return fail();
  if (take("_Z") || take('Z')) {
    const NodeId entity = encoding();
    return take('E') ? entity : fail();
  }
  const NodeId of = type();
  const std::size_t begin = pos_;
  while (!failed_ && peek() != 'E' && peek() != '\0') ++pos_;
  const std::string_view value = text_.substr(begin, pos_ - begin);
  if (!take('E')) return fail();
  return add({.text = value, .kind = NodeKind::kLiteral}, {of});
}

NodeId MangledParser::substitution() {
  if (!take('S')) return fail();
  const char c = peek();
  if (c == '_' || is_digit(c) || (c >= 'A' && c <= 'Z')) {
    const std::uint32_t n = index(36);
    return failed_ || n >= substitutions_.size() ? fail() : substitutions_[n];
  }
  const std::string_view text = standard_abbreviation(c);
  if (text.empty()) return fail();
  ++pos_;
  return add({.text = text, .scope = standard_, .kind = NodeKind::kIdentifier});
}

NodeId MangledParser::template_parameter() {
  if (!take('T')) return fail();
  if (take('L')) {  // of an enclosing lambda
    number();
    if (!take('_')) return fail();
  }
  return add({.value = index(10), .kind = NodeKind::kParameter});
}

}  // namespace gputrace::analyzer
