#include <algorithm>

#include "analyzer/name_parsers.h"

namespace gputrace::analyzer {
namespace {

// Parts that print nothing (empty packs) can repeat by reference too: the visits are bounded besides the
// text.
constexpr std::size_t kMaxVisits = 200'000;

class NamePrinter {
 public:
  NamePrinter(const NameGraph& graph, std::size_t max_bytes) : graph_(graph), max_bytes_(max_bytes) {}

  std::string print(NodeId id) {
    node(id);
    if (is_cut()) {
      text_.resize(std::min(text_.size(), max_bytes_ > 3 ? max_bytes_ - 3 : 0));
      text_ += "...";
    }
    return std::move(text_);
  }

 private:
  bool is_cut() const { return text_.size() > max_bytes_ || visits_ > kMaxVisits; }

  void node(NodeId id) {
    ++visits_;
    if (id == kNoNode || is_cut()) return;
    const NameNode& n = graph_[id];
    if (n.scope != kNoNode) {
      node(n.scope);
      text_ += "::";
    }
    switch (n.kind) {
      case NodeKind::kNone:
        break;
      case NodeKind::kIdentifier:
      case NodeKind::kBuiltin:
        text_ += n.text;
        break;
      case NodeKind::kAnonymousNamespace:
        text_ += "<unnamed>";
        break;
      case NodeKind::kOperator:
        operator_name(id);
        break;
      case NodeKind::kConstructor:
        constructor(n);
        break;
      case NodeKind::kLambda:
        lambda(id);
        break;
      case NodeKind::kUnnamedType:
        text_ += "[unnamed type (instance " + std::to_string(n.value) + ")]";
        break;
      case NodeKind::kTemplate:
        template_id(id);
        break;
      case NodeKind::kFunction:
        function(id);
        break;
      case NodeKind::kQualified:
        qualified(id);
        break;
      case NodeKind::kPointer:
        pointer(id);
        break;
      case NodeKind::kArray:
        array(id);
        break;
      case NodeKind::kFunctionType:
        function_type(id, "");
        break;
      case NodeKind::kMemberPointer:
        member_pointer(id);
        break;
      case NodeKind::kParameter:
        text_ += "T" + std::to_string(n.value + 1);
        break;
      case NodeKind::kLiteral:
        literal(id);
        break;
      case NodeKind::kPack:
        list(graph_.children(id));
        break;
      case NodeKind::kExpression:
        expression(id);
        break;
    }
  }

  NodeId child(NodeId id, std::size_t index = 0) const {
    const auto children = graph_.children(id);
    return index < children.size() ? children[index] : kNoNode;
  }

  void list(std::span<const NodeId> ids) {
    bool first = true;
    for (const NodeId id : ids) {
      if (is_cut()) return;
      const std::size_t before = text_.size();
      if (!first) text_ += ", ";
      const std::size_t start = text_.size();
      node(id);
      if (text_.size() == start) {  // an empty pack
        text_.resize(before);
      } else {
        first = false;
      }
    }
  }

  void operator_name(NodeId id) {
    text_ += "operator ";
    if (graph_[id].text.empty()) node(child(id));
    text_ += graph_[id].text;
  }

  void constructor(const NameNode& n) {
    NodeId of = n.scope;
    while (of != kNoNode && graph_[of].kind == NodeKind::kTemplate) of = child(of);
    text_ += n.text;
    if (of != kNoNode) text_ += graph_[of].text;
  }

  void lambda(NodeId id) {
    text_ += "[lambda(";
    list(graph_.children(id));
    text_ += ") (instance " + std::to_string(graph_[id].value) + ")]";
  }

  void template_id(NodeId id) {
    const auto children = graph_.children(id);
    node(children[0]);
    text_ += '<';
    list(children.subspan(1));
    text_ += '>';
  }

  void function(NodeId id) {
    const auto children = graph_.children(id);
    if (children[1] != kNoNode) {
      node(children[1]);
      text_ += ' ';
    }
    node(children[0]);
    text_ += '(';
    list(children.subspan(2));
    text_ += ')';
    if (graph_[id].is_const) text_ += " const";
  }

  void qualified(NodeId id) {
    const NodeId of = child(id);
    const bool after = of != kNoNode && graph_[of].kind == NodeKind::kPointer;
    if (after) {
      node(of);
      text_ += graph_[id].text;
    } else {
      text_ += graph_[id].text;
      text_ += ' ';
      node(of);
    }
  }

  void pointer(NodeId id) {
    const NodeId to = child(id);
    const NodeKind kind = to == kNoNode ? NodeKind::kNone : graph_[to].kind;
    if (kind == NodeKind::kFunctionType) return function_type(to, graph_[id].text);
    if (kind == NodeKind::kArray) return array(to, graph_[id].text);
    node(to);
    if (!text_.ends_with('*') && !text_.ends_with('&')) text_ += ' ';
    text_ += graph_[id].text;
  }

  void array(NodeId id, std::string_view declarator = {}) {
    node(child(id));
    if (!declarator.empty()) {
      text_ += " (";
      text_ += declarator;
      text_ += ')';
    }
    text_ += '[';
    text_ += graph_[id].text;
    text_ += ']';
  }

  void function_type(NodeId id, std::string_view declarator) {
    const auto children = graph_.children(id);
    if (!children.empty()) node(children[0]);
    text_ += ' ';
    if (!declarator.empty()) {
      text_ += '(';
      text_ += declarator;
      text_ += ')';
    }
    text_ += '(';
    auto parameters = children.subspan(std::min<std::size_t>(1, children.size()));
    if (parameters.size() == 1 && graph_[parameters[0]].text == "void") parameters = {};
    list(parameters);
    text_ += ')';
  }

  void member_pointer(NodeId id) {
    const NodeId member = child(id, 1);
    if (member != kNoNode && graph_[member].kind == NodeKind::kFunctionType) {
      function_type(member, print_member_scope(child(id)));
      return;
    }
    node(member);
    text_ += ' ';
    node(child(id));
    text_ += "::*";
  }

  std::string print_member_scope(NodeId of) {
    NamePrinter inner(graph_, max_bytes_);
    inner.visits_ = visits_;
    inner.node(of);
    visits_ = inner.visits_;
    return inner.text_ + "::*";
  }

  void literal(NodeId id) {
    const std::string_view value = graph_[id].text;
    text_ += '(';
    node(child(id));
    text_ += ')';
    if (value.starts_with('n')) {
      text_ += '-';
      text_ += value.substr(1);
    } else {
      text_ += value;
    }
  }

  void expression(NodeId id) {
    const auto operands = graph_.children(id);
    const std::string_view symbol = graph_[id].text;
    if (operands.size() == 2 && symbol != "()" && symbol != "{}" && symbol != "cast") {
      text_ += '(';
      node(operands[0]);
      text_ += ") ";
      text_ += symbol;
      text_ += " (";
      node(operands[1]);
      text_ += ')';
      return;
    }
    if (symbol == "...") {  // a pack expansion
      list(operands);
      text_ += symbol;
      return;
    }
    text_ += symbol == "()" || symbol == "cast" ? "" : symbol;
    text_ += '(';
    list(operands);
    text_ += ')';
  }

  const NameGraph& graph_;
  const std::size_t max_bytes_;
  std::size_t visits_ = 0;
  std::string text_;
};

}  // namespace

std::string print_node(const NameGraph& graph, NodeId id, std::size_t max_bytes) {
  return NamePrinter(graph, max_bytes).print(id);
}

}  // namespace gputrace::analyzer
