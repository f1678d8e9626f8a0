// A parser of mangled names, by recursive descent. One .cpp per part of the grammar: mangled_parser.cpp (a
// whole name), mangled_names.cpp, mangled_templates.cpp, mangled_types.cpp, mangled_expressions.cpp. Why not
// abi::__cxa_demangle or LLVM's demangler: the first refuses long names, both recurse as deep as the name
// says and print parts repeated by reference in full. This one keeps the references, bounds its nesting, and
// hands over what it has read where a name was cut off.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/mangled_codes.h"
#include "analyzer/name_parsers.h"

namespace gputrace::analyzer {

class MangledParser {
 public:
  MangledParser(std::string_view text, NameGraph& graph) : text_(text), graph_(graph) {
    standard_ = add({.text = "std", .kind = NodeKind::kIdentifier});
  }

  ParseOutcome parse();

 private:
  // A level of recursion adds a node at most, but for the parts of a qualified name: what is too deep is
  // given up inside, and the levels around it stay.
  static constexpr int kMaxRecursion = kMaxNesting - 100;

  // What a function's parameters need to know of its name.
  struct NameTraits {
    bool has_return_type =
        false;  // a template's function has one in its mangling, but for constructors and conversions
    bool is_const = false;
  };

  struct Nesting {
    explicit Nesting(MangledParser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMaxRecursion) parser_.failed_ = true;
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    MangledParser& parser_;
  };

  // Reading. After a failure the methods below return what they have, and their callers end too.
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++pos_;
    return true;
  }
  bool take(std::string_view s) {
    if (text_.substr(pos_, s.size()) != s) return false;
    pos_ += s.size();
    return true;
  }
  NodeId fail() {
    failed_ = true;
    return kNoNode;
  }
  bool more(char end = 'E');  // in a list closed by `end`
  std::uint32_t number();
  // "_" is 0, "0_" is 1, ...
  std::uint32_t index(int base);
  std::string_view source_text();
  const MangledOperator* operator_code();

  // Building. Children wait on the stack, since their number is known at the end of a list.
  NodeId add(NameNode node, std::span<const NodeId> children = {}) {
    const NodeId id = graph_.add(node, children);
    return id == kNoNode ? fail() : id;
  }
  NodeId add(NameNode node, std::initializer_list<NodeId> children) {
    return add(node, std::span<const NodeId>(children.begin(), children.size()));
  }
  NodeId add_from_stack(NameNode node, std::size_t mark);  // children: those since `mark`
  void push(NodeId id) {
    if (id != kNoNode) stack_.push_back(id);
  }
  NodeId remember(NodeId id) {
    if (id != kNoNode && !failed_) substitutions_.push_back(id);
    return id;
  }

  NodeId encoding();
  void parameters();

  // mangled_names.cpp
  // `enclosing`: the function a local name stands in.
  NodeId name(NameTraits* traits, NodeId enclosing = kNoNode);
  NodeId with_arguments(NodeId plain, NameTraits* traits);
  NodeId nested_name(NameTraits* traits, NodeId enclosing);
  NodeId nested_part(NodeId prefix, NodeId enclosing, NameTraits* traits, bool& remembered);
  bool is_nameless_function(NodeId id) const;
  NodeId local_name(NameTraits* traits);
  void discriminator();
  NodeId unqualified_name(NodeId scope, NameTraits* traits);
  NodeId source_name(NodeId scope);
  NodeId unnamed(NodeId scope);
  NodeId operator_name(NodeId scope);

  // mangled_templates.cpp
  NodeId template_arguments(NodeId of);
  NodeId template_argument();
  NodeId literal();
  NodeId substitution();
  NodeId template_parameter();

  // mangled_types.cpp
  NodeId type();
  // One node per builtin type and name, as they are most of what a name holds.
  NodeId builtin_node(char code, std::string_view text);
  bool is_compound_d() const;
  NodeId compound_type(char c);
  NodeId qualified_type();
  NodeId indirect_type(std::string_view symbol);
  NodeId prefixed_type(std::string_view prefix);
  NodeId array_type();
  NodeId function_type();
  NodeId member_pointer();
  NodeId parameter_type();
  NodeId d_type();
  NodeId compound_d_type();

  // mangled_expressions.cpp
  NodeId expression();
  NodeId decltype_type();
  NodeId plain_name();
  NodeId function_parameter();
  NodeId scoped_name();
  NodeId type_expression(std::string_view symbol);
  NodeId operand_expression(std::string_view symbol, int operands);
  // A type first where `typed`; then expressions up to E where `closed`, one (or "_ ... E") else.
  NodeId listed_expression(std::string_view symbol, bool typed, bool closed);

  std::string_view text_;
  NameGraph& graph_;
  std::size_t pos_ = 0;
  int nesting_ = 0;
  bool failed_ = false;
  NodeId standard_ = kNoNode;
  std::array<NodeId, 26> builtins_{};  // by letter
  std::vector<NodeId> substitutions_;
  std::vector<NodeId> stack_;
};

}  // namespace gputrace::analyzer
