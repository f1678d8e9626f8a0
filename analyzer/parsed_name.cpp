#include "analyzer/parsed_name.h"

#include <algorithm>

#include "analyzer/name_parsers.h"

namespace gputrace::analyzer {
namespace {

std::string_view without_decoration(std::string_view name) {
  name = name.substr(0, kMaxNameBytes);
  constexpr std::string_view kBlank = " \t\r\n\"";
  const std::size_t begin = name.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  name = name.substr(begin, name.find_last_not_of(kBlank) - begin + 1);
  if (name.ends_with(']')) {  // "[clone .kd]"; GCC's clones repeat it
    const std::size_t clone = name.find(" [clone ");
    if (clone != std::string_view::npos) name = name.substr(0, clone);
  }
  if (name.ends_with(".kd")) name.remove_suffix(3);  // AMD's kernel descriptor
  return name;
}

}  // namespace

NameGraph::NameGraph() {
  nodes_.reserve(64);
  edges_.reserve(64);
  nodes_.emplace_back();
}

NodeId NameGraph::add(NameNode node, std::span<const NodeId> children) {
  std::uint16_t below = nodes_[node.scope].depth;
  for (const NodeId child : children) below = std::max(below, nodes_[child].depth);
  if (below >= kMaxNesting) return kNoNode;
  node.depth = static_cast<std::uint16_t>(below + 1);
  node.first_edge = static_cast<std::uint32_t>(edges_.size());
  node.edge_count = static_cast<std::uint32_t>(children.size());
  edges_.insert(edges_.end(), children.begin(), children.end());
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

std::span<const NodeId> NameGraph::children(NodeId id) const {
  return std::span<const NodeId>(edges_).subspan(nodes_[id].first_edge, nodes_[id].edge_count);
}

bool is_mangled(std::string_view name) {
  const std::size_t underscores = name.find_first_not_of('_');
  return underscores >= 1 && underscores <= 3 && underscores != std::string_view::npos &&
         name[underscores] == 'Z';
}

ParsedName::ParsedName(std::string_view name)
    : text_(without_decoration(name)), is_mangled_(analyzer::is_mangled(text_)) {
  const ParseOutcome outcome = is_mangled_ ? parse_mangled(text_, graph_) : parse_demangled(text_, graph_);
  root_ = outcome.root;
  is_complete_ = outcome.complete;
  find_names();
}

void ParsedName::find_names() {
  NodeId id = bare(root_);
  if (graph_[id].kind == NodeKind::kFunction) id = graph_.children(id)[0];
  function_name_ = id;
  if (graph_[id].kind == NodeKind::kTemplate) id = graph_.children(id)[0];
  // A lambda or an operator says nothing by itself: the function around it does.
  NodeId named = id;
  while (named != kNoNode && graph_[named].kind != NodeKind::kIdentifier) {
    const NodeKind kind = graph_[named].kind;
    const bool inward = kind == NodeKind::kTemplate || kind == NodeKind::kFunction;
    named = inward ? graph_.children(named)[0] : graph_[named].scope;
  }
  base_ = named == kNoNode ? text_.substr(0, text_.find_first_of("(<. ")) : graph_[named].text;
  if (base_.empty()) base_ = text_;
  std::vector<std::string_view> parts;
  for (NodeId at = named; at != kNoNode && parts.size() < kMaxNesting;) {
    const NodeKind kind = graph_[at].kind;
    if (kind == NodeKind::kTemplate || kind == NodeKind::kFunction) {
      at = graph_.children(at)[0];
      continue;
    }
    if (kind == NodeKind::kIdentifier) parts.push_back(graph_[at].text);
    at = graph_[at].scope;
  }
  if (parts.size() > 1) namespace_ = parts.back();
  for (std::size_t i = parts.size(); i-- > 0;) {
    path_ += parts[i];
    if (i > 0) path_ += "::";
  }
  if (path_.empty()) path_ = base_;
}

NodeId ParsedName::bare(NodeId id) const {
  while (id != kNoNode &&
         (graph_[id].kind == NodeKind::kQualified || graph_[id].kind == NodeKind::kPointer)) {
    const auto children = graph_.children(id);
    id = children.empty() ? kNoNode : children[0];
  }
  return id;
}

std::string_view ParsedName::identifier(NodeId id) const {
  id = bare(id);
  if (graph_[id].kind == NodeKind::kTemplate) id = graph_.children(id)[0];
  return graph_[id].kind == NodeKind::kIdentifier ? graph_[id].text : std::string_view();
}

std::string_view ParsedName::scope_identifier(NodeId id) const {
  id = bare(id);
  if (graph_[id].kind == NodeKind::kTemplate) id = graph_.children(id)[0];
  return identifier(graph_[id].scope);
}

std::span<const NodeId> ParsedName::arguments(NodeId id) const {
  id = bare(id);
  if (graph_[id].kind != NodeKind::kTemplate) return {};
  return graph_.children(id).subspan(1);
}

NodeId ParsedName::argument(NodeId id, std::size_t index) const {
  const auto all = arguments(id);
  return index < all.size() ? all[index] : kNoNode;
}

std::string_view ParsedName::literal(NodeId id) const {
  return graph_[id].kind == NodeKind::kLiteral ? graph_[id].text : std::string_view();
}

std::string_view ParsedName::builtin(NodeId id) const {
  id = bare(id);
  return graph_[id].kind == NodeKind::kBuiltin ? graph_[id].text : std::string_view();
}

bool ParsedName::mentions(std::string_view identifier) const {
  return !find_identifier([&](std::string_view text) { return text == identifier; }).empty();
}

}  // namespace gputrace::analyzer
