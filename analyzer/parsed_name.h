// A kernel's name as a small graph, whichever way a profiler spelled it: mangled (Itanium), or demangled by
// one of the many demanglers. A mangled name repeats its parts by reference, so the graph stays linear in the
// name where the demangled text would explode (2,096 characters become 2.87 MB); nothing here expands it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputrace::analyzer {

inline constexpr std::size_t kMaxNameBytes = 512 * 1024;  // what is longer is cut
inline constexpr std::uint16_t kMaxNesting = 1000;        // levels of nodes; real names stay under 150

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0;

enum class NodeKind : std::uint8_t {
  kNone,
  kIdentifier,          // text, in `scope`
  kAnonymousNamespace,  // every spelling: "_GLOBAL__N__...", "(anonymous namespace)", "<unnamed>"
  kOperator,            // text "()"; a conversion operator has its type as child
  kConstructor,         // text "" or "~"
  kLambda,              // children: parameter types; value: instance from 1
  kUnnamedType,         // value: instance from 1
  kTemplate,            // children: the template's name, then its arguments
  kFunction,            // children: name, return type or kNoNode, parameters
  kBuiltin,             // text "unsigned long"
  kQualified,           // text "const", child: type
  kPointer,             // text "*", "&" or "&&", child: type
  kArray,               // text: extent, child: type
  kFunctionType,        // children: return type, parameters
  kMemberPointer,       // children: class, member type
  kParameter,           // template parameter; value: index from 0
  kLiteral,             // text: value ("-1"), child: type or nothing
  kPack,                // children: arguments
  kExpression,          // text: operator, children: operands
};

struct NameNode {
  std::string_view text =
      {};  // a piece of the parsed name (borrowed from the caller like the graph itself) or a constant
  NodeId scope = kNoNode;
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
  std::uint32_t value = 0;
  std::uint16_t depth = 0;  // longest way down, at most kMaxNesting, so that walks may recurse
  NodeKind kind = NodeKind::kNone;
  bool is_const = false;  // of a member function
};

// Append-only nodes; children exist before their parents, so it has no cycle.
class NameGraph {
 public:
  NameGraph();
  // kNoNode where the node would be nested deeper than kMaxNesting.
  NodeId add(NameNode node, std::span<const NodeId> children = {});
  const NameNode& operator[](NodeId id) const { return nodes_[id]; }
  NameNode& edit(NodeId id) { return nodes_[id]; }
  std::span<const NodeId> children(NodeId id) const;
  std::span<const NameNode> nodes() const { return nodes_; }

 private:
  std::vector<NameNode> nodes_;
  std::vector<NodeId> edges_;
};

// The graph of one name with what every family asks of it. Borrows the text: it lives no longer than that.
class ParsedName {
 public:
  explicit ParsedName(std::string_view name);

  std::string_view text() const { return text_; }    // without ".kd", "[clone ...]" and surrounding blanks
  std::string_view base() const { return base_; }    // "EigenMetaKernel"
  const std::string& path() const { return path_; }  // "Eigen::internal::EigenMetaKernel"
  bool is_mangled() const { return is_mangled_; }
  bool is_complete() const { return is_complete_; }  // false where cut off or not fully understood

  const NameGraph& graph() const { return graph_; }
  NodeId root() const { return root_; }
  // The template arguments of the kernel.
  std::span<const NodeId> arguments() const { return arguments(function_name_); }

  // The following look through const, pointers and references.
  NodeId bare(NodeId id) const;
  std::string_view identifier(NodeId id) const;         // "TensorMap"; "" for what has no name
  std::string_view scope_identifier(NodeId id) const;   // "Eigen" of Eigen::TensorMap
  std::span<const NodeId> arguments(NodeId id) const;   // of a template, packs left as they are
  NodeId argument(NodeId id, std::size_t index) const;  // kNoNode past the end
  std::string_view literal(NodeId id) const;            // "4" of int=4, (int)4, 4ul and Li4E; "" else
  std::string_view builtin(NodeId id) const;            // "float"

  bool in_namespace(std::string_view outermost) const { return namespace_ == outermost; }
  bool mentions(std::string_view identifier) const;  // anywhere in the name, in one pass over it
  // The first of the name's identifiers that `accept` answers with true; "" where none.
  template <class Accept>
  std::string_view find_identifier(Accept accept) const {
    for (const NameNode& node : graph_.nodes()) {
      if (node.kind == NodeKind::kIdentifier && accept(node.text)) return node.text;
    }
    return {};
  }

 private:
  void find_names();

  std::string_view text_;
  std::string_view base_;
  std::string_view namespace_;
  std::string path_;
  NameGraph graph_;
  NodeId root_ = kNoNode;
  NodeId function_name_ = kNoNode;
  bool is_mangled_ = false;
  bool is_complete_ = false;
};

bool is_mangled(std::string_view name);

}  // namespace gputrace::analyzer
