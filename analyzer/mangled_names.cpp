// Names: plain, nested in namespaces and classes, local to a function, lambdas, operators.
#include "analyzer/mangled_parser.h"

namespace gputrace::analyzer {

NodeId MangledParser::name(NameTraits* traits, NodeId enclosing) {
  const Nesting nesting(*this);
  if (failed_) return kNoNode;
  if (take('N')) return nested_name(traits, enclosing);
  if (take('Z')) return local_name(traits);
  if (peek() == 'S' && peek(1) != 't') {
    const NodeId known = substitution();
    if (peek() != 'I') return fail();
    return with_arguments(known, traits);
  }
  const NodeId scope = take("St") ? standard_ : enclosing;
  const NodeId plain = unqualified_name(scope, traits);
  if (peek() != 'I' || failed_) return plain;
  remember(plain);
  return with_arguments(plain, traits);
}

NodeId MangledParser::with_arguments(NodeId plain, NameTraits* traits) {
  if (traits != nullptr) traits->has_return_type = true;
  return template_arguments(plain);
}

NodeId MangledParser::nested_name(NameTraits* traits, NodeId enclosing) {
  for (char c = peek(); c == 'r' || c == 'V' || c == 'K'; c = peek()) {
    if (traits != nullptr && c == 'K') traits->is_const = true;
    ++pos_;
  }
  if (!take('R')) take('O');
  NodeId prefix = kNoNode;
  bool last_remembered = false;
  while (more()) {
    const NodeId longer = nested_part(prefix, enclosing, traits, last_remembered);
    if (longer == kNoNode) break;
    prefix = longer;
  }
  // The whole name is no prefix; whoever uses it as a type remembers it as one.
  if (!failed_ && last_remembered && !substitutions_.empty()) substitutions_.pop_back();
  return prefix;
}

NodeId MangledParser::nested_part(NodeId prefix, NodeId enclosing, NameTraits* traits, bool& remembered) {
  const Nesting nesting(*this);
  if (failed_) return kNoNode;
  remembered = true;
  if (peek() == 'I') {
    if (prefix == kNoNode) return fail();
    if (traits != nullptr) traits->has_return_type = !is_nameless_function(prefix);
    return remember(template_arguments(prefix));
  }
  if (traits != nullptr) traits->has_return_type = false;
  if (take('M')) {  // the initialiser a lambda stands in
    remembered = false;
    return prefix;
  }
  if (prefix == kNoNode && peek() == 'S') {
    remembered = false;
    return take("St") ? standard_ : substitution();
  }
  if (peek() == 'T') return remember(template_parameter());
  if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T')) return remember(decltype_type());
  return remember(unqualified_name(prefix == kNoNode ? enclosing : prefix, traits));
}

bool MangledParser::is_nameless_function(NodeId id) const {
  const NodeKind kind = graph_[id].kind;
  return kind == NodeKind::kConstructor || (kind == NodeKind::kOperator && graph_[id].edge_count > 0);
}

NodeId MangledParser::local_name(NameTraits* traits) {
  const NodeId function = encoding();
  if (!take('E')) return failed_ ? function : fail();
  if (take('s')) {  // a string literal
    discriminator();
    return add({.text = "string literal", .scope = function, .kind = NodeKind::kIdentifier});
  }
  if (take('d')) {  // in a default argument
    number();
    if (!take('_')) return fail();
  }
  const NodeId entity = name(traits, function);
  discriminator();
  return entity == kNoNode ? function : entity;
}

void MangledParser::discriminator() {
  if (peek() != '_') return;
  if (peek(1) == '_' && is_digit(peek(2))) {
    pos_ += 2;
    number();
    take('_');
  } else if (is_digit(peek(1))) {
    pos_ += 2;
  }
}

NodeId MangledParser::unqualified_name(NodeId scope, NameTraits* traits) {
  if (failed_) return kNoNode;
  take('L');  // internal linkage: GCC and clang for the host's symbol
  NodeId id = kNoNode;
  const char c = peek();
  if (is_digit(c)) {
    id = source_name(scope);
  } else if (c == 'U') {
    id = unnamed(scope);
  } else if (c == 'C' || c == 'D') {
    pos_ += 2;
    if (traits != nullptr) traits->has_return_type = false;
    id = add({.text = c == 'C' ? "" : "~", .scope = scope, .kind = NodeKind::kConstructor});
  } else {
    id = operator_name(scope);
  }
  while (!failed_ && peek() == 'B' && is_digit(peek(1))) {  // ABI tag
    ++pos_;
    source_text();
  }
  return id;
}

std::string_view MangledParser::source_text() {
  const std::size_t size = number();
  if (size == 0 || pos_ >= text_.size()) {
    fail();
    return {};
  }
  const std::string_view text = text_.substr(pos_, size);
  pos_ += text.size();
  if (text.size() < size) failed_ = true;
  return text;
}

NodeId MangledParser::source_name(NodeId scope) {
  const std::string_view text = source_text();
  if (text.empty()) return kNoNode;
  const auto kind = text.starts_with("_GLOBAL__N") ? NodeKind::kAnonymousNamespace : NodeKind::kIdentifier;
  const bool was_cut = failed_;
  const NodeId id = graph_.add({.text = text, .scope = scope, .kind = kind});
  if (id == kNoNode || was_cut) failed_ = true;
  return id;
}

NodeId MangledParser::unnamed(NodeId scope) {
  if (take("Ut")) {
    const std::uint32_t instance = index(10) + 1;
    return add({.scope = scope, .value = instance, .kind = NodeKind::kUnnamedType});
  }
  if (!take("Ul")) return fail();
  const std::size_t mark = stack_.size();
  if (!take('v')) {
    while (!failed_ && peek() != 'E' && peek() != '\0') push(type());
  }
  if (!take('E')) failed_ = true;
  const std::uint32_t instance = failed_ ? 0 : index(10) + 1;
  return add_from_stack({.scope = scope, .value = instance, .kind = NodeKind::kLambda}, mark);
}

NodeId MangledParser::operator_name(NodeId scope) {
  if (take("cv")) {
    const NodeId to = type();
    return add({.scope = scope, .kind = NodeKind::kOperator}, {to});
  }
  if (take("li")) return add({.text = source_text(), .scope = scope, .kind = NodeKind::kOperator});
  const MangledOperator* op = operator_code();
  if (op == nullptr) return fail();
  return add({.text = op->symbol, .scope = scope, .kind = NodeKind::kOperator});
}

}  // namespace gputrace::analyzer
