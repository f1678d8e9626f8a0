// The two spellings of a name, each parsed into a NameGraph.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/parsed_name.h"

namespace gputrace::analyzer {

struct ParseOutcome {
  NodeId root = kNoNode;
  bool complete =
      false;  // false: cut off, too deep or not understood; `root` holds what was read until there
};

// Itanium C++ ABI mangling (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), clone suffixes
// ignored.
ParseOutcome parse_mangled(std::string_view text, NameGraph& graph);

// Text of any demangler. Never fails: what it does not know it steps over.
ParseOutcome parse_demangled(std::string_view text, NameGraph& graph);

// A node as text in the spelling of Nsight Systems ("T1" for a template parameter, "(int)4", "const float
// *"), at most `max_bytes` and then "...".
std::string print_node(const NameGraph& graph, NodeId id, std::size_t max_bytes);

}  // namespace gputrace::analyzer
