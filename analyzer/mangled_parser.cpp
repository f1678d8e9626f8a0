#include "analyzer/mangled_parser.h"

#include <algorithm>

namespace gputrace::analyzer {

ParseOutcome parse_mangled(std::string_view text, NameGraph& graph) {
  return MangledParser(text, graph).parse();
}

ParseOutcome MangledParser::parse() {
  while (peek() == '_') ++pos_;
  if (!take('Z')) return {};
  const NodeId root = encoding();
  const bool at_end = pos_ == text_.size() || peek() == '.' || peek() == ' ' || peek() == '@';
  return {.root = root, .complete = !failed_ && at_end && root != kNoNode};
}

bool MangledParser::more(char end) {
  if (failed_ || take(end)) return false;
  if (pos_ >= text_.size()) failed_ = true;
  return !failed_;
}

NodeId MangledParser::add_from_stack(NameNode node, std::size_t mark) {
  const NodeId id = add(node, std::span<const NodeId>(stack_).subspan(mark));
  stack_.resize(mark);
  return id;
}

std::uint32_t MangledParser::number() {
  std::uint32_t value = 0;
  while (is_digit(peek())) {
    value = std::min<std::uint32_t>(value * 10 + static_cast<std::uint32_t>(text_[pos_++] - '0'), 1U << 24);
  }
  return value;
}

std::uint32_t MangledParser::index(int base) {
  if (take('_')) return 0;
  std::uint32_t value = 0;
  for (char c = peek(); is_digit(c) || (base == 36 && c >= 'A' && c <= 'Z'); c = peek()) {
    const auto digit = static_cast<std::uint32_t>(is_digit(c) ? c - '0' : c - 'A' + 10);
    value = std::min<std::uint32_t>(value * static_cast<std::uint32_t>(base) + digit, 1U << 24);
    ++pos_;
  }
  if (!take('_')) fail();
  return value + 1;
}

NodeId MangledParser::encoding() {
  const Nesting nesting(*this);
  if (failed_) return kNoNode;
  NameTraits traits;
  const NodeId function = name(&traits);
  const char next = peek();
  if (failed_ || next == '\0' || next == 'E' || next == '.' || next == ' ' || next == '@') return function;
  const std::size_t mark = stack_.size();
  stack_.push_back(function);
  stack_.push_back(traits.has_return_type ? type() : kNoNode);
  parameters();
  return add_from_stack({.kind = NodeKind::kFunction, .is_const = traits.is_const}, mark);
}

void MangledParser::parameters() {
  if (take('v')) return;
  for (char c = peek(); !failed_ && c != '\0' && c != 'E' && c != '.' && c != ' ' && c != '@'; c = peek())
    push(type());
}

}  // namespace gputrace::analyzer
