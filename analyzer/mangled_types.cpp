#include "analyzer/mangled_parser.h"

namespace gputrace::analyzer {

NodeId MangledParser::type() {
  const Nesting nesting(*this);
  if (failed_) return kNoNode;
  const char c = peek();
  if (const std::string_view builtin = builtin_type(c); !builtin.empty()) {
    ++pos_;
    return builtin_node(c, builtin);
  }
  if (c == 'S' && peek(1) != 't') {
    const NodeId known = substitution();
    return peek() == 'I' ? remember(template_arguments(known)) : known;
  }
  if (c == 'D' && !is_compound_d()) return d_type();
  return remember(compound_type(c));
}

NodeId MangledParser::builtin_node(char code, std::string_view text) {
  NodeId& id = builtins_[static_cast<std::size_t>(code - 'a')];
  if (id == kNoNode) id = add({.text = text, .kind = NodeKind::kBuiltin});
  return id;
}

bool MangledParser::is_compound_d() const {
  const char c = peek(1);
  return c == 'p' || c == 't' || c == 'T' || c == 'v' || c == 'o' || c == 'O' || c == 'w' || c == 'x';
}

NodeId MangledParser::compound_type(char c) {
  switch (c) {
    case 'r':
    case 'V':
    case 'K':
      return qualified_type();
    case 'P':
      return indirect_type("*");
    case 'R':
      return indirect_type("&");
    case 'O':
      return indirect_type("&&");
    case 'C':
      return prefixed_type("_Complex");
    case 'G':
      return prefixed_type("_Imaginary");
    case 'A':
      return array_type();
    case 'F':
      return function_type();
    case 'M':
      return member_pointer();
    case 'T':
      return parameter_type();
    case 'D':
      return compound_d_type();
    case 'u': {
      ++pos_;
      return add({.text = source_text(), .kind = NodeKind::kBuiltin});
    }
    case 'U': {
      ++pos_;
      source_text();
      return type();
    }
    default:
      return name(nullptr);
  }
}

NodeId MangledParser::qualified_type() {
  bool is_const = false, is_volatile = false;
  for (char c = peek(); c == 'r' || c == 'V' || c == 'K'; c = peek()) {
    is_const |= c == 'K';
    is_volatile |= c == 'V';
    ++pos_;
  }
  const NodeId of = type();
  if (!is_const && !is_volatile) return of;
  const char* text = is_const && is_volatile ? "const volatile" : is_const ? "const" : "volatile";
  return add({.text = text, .kind = NodeKind::kQualified}, {of});
}

NodeId MangledParser::indirect_type(std::string_view symbol) {
  ++pos_;
  const NodeId to = type();
  return add({.text = symbol, .kind = NodeKind::kPointer}, {to});
}

NodeId MangledParser::prefixed_type(std::string_view prefix) {
  ++pos_;
  const NodeId of = type();
  return add({.text = prefix, .kind = NodeKind::kQualified}, {of});
}

NodeId MangledParser::array_type() {
  ++pos_;
  const std::size_t begin = pos_;
  if (is_digit(peek())) {
    number();
  } else if (peek() != '_') {
    expression();
  }
  const std::string_view extent = text_.substr(begin, pos_ - begin);
  if (!take('_')) return fail();
  const NodeId of = type();
  return add({.text = extent, .kind = NodeKind::kArray}, {of});
}

NodeId MangledParser::function_type() {
  ++pos_;
  take('Y');
  const std::size_t mark = stack_.size();
  while (more()) {
    if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') ++pos_;
    if (peek() == 'E') continue;
    push(type());
  }
  return add_from_stack({.kind = NodeKind::kFunctionType}, mark);
}

NodeId MangledParser::member_pointer() {
  ++pos_;
  const NodeId of = type();
  const NodeId member = type();
  return add({.kind = NodeKind::kMemberPointer}, {of, member});
}

NodeId MangledParser::parameter_type() {
  const char next = peek(1);
  if (next == 's' || next == 'u' || next == 'e') {  // elaborated: struct, union, enum
    pos_ += 2;
    return name(nullptr);
  }
  const NodeId parameter = template_parameter();
  if (peek() != 'I' || failed_) return parameter;
  remember(parameter);
  return template_arguments(parameter);
}

NodeId MangledParser::d_type() {
  ++pos_;
  const char c = peek();
  ++pos_;
  if (c == 'F') {
    const std::uint32_t bits = number();
    if (take('b')) return add({.text = bits == 16 ? "__bf16" : "bfloat", .kind = NodeKind::kBuiltin});
    if (!take('_') && !take('x')) return fail();
    return add({.text = bits == 16   ? "_Float16"
                        : bits == 32 ? "_Float32"
                                     : "_Float64",
                .kind = NodeKind::kBuiltin});
  }
  const std::string_view text = builtin_type_after_d(c);
  return text.empty() ? fail() : add({.text = text, .kind = NodeKind::kBuiltin});
}

NodeId MangledParser::compound_d_type() {
  switch (peek(1)) {
    case 't':
    case 'T':
      return decltype_type();
    case 'p': {
      pos_ += 2;
      const NodeId of = type();
      return add({.text = "...", .kind = NodeKind::kExpression}, {of});
    }
    case 'v': {
      pos_ += 2;
      const std::size_t begin = pos_;
      number();
      const std::string_view extent = text_.substr(begin, pos_ - begin);
      if (!take('_')) return fail();
      const NodeId of = type();
      return add({.text = extent, .kind = NodeKind::kArray}, {of});
    }
    case 'o':
    case 'x': {
      pos_ += 2;
      return type();
    }
    default:
      return fail();
  }
}

}  // namespace gputrace::analyzer
