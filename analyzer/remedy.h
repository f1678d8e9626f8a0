// A remedy is a change to the program that a replay can try: one file each in analyzer/remedies, named for what it does; CMake
// lists them. Rules ask what theirs would win; `gputrace whatif` tries any by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics.h"
#include "analyzer/replay/changed_graph.h"
#include "analyzer/replay/host_sequences.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct RemedyInput {
  const trace::Trace& trace;
  const Metrics& metrics;
  const DependencyGraph& graph;
  const std::vector<HostSequence>& sequences;
};

// What a remedy did to the graph; count 0: there is nothing in this trace that it could change.
struct Applied {
  std::size_t count = 0;  // of calls, copies, kernels or gaps changed
  std::string what;       // "24 calls that wait for the GPU return at once"
};

struct Remedy {
  const char* name;  // "remove-syncs"
  const char* does;  // for people, one line
  Applied (*apply)(const RemedyInput& input, ChangedGraph& graph);
};

std::span<const Remedy* const> all_remedies();
const Remedy* find_remedy(std::string_view name);  // nullptr: none of that name

}  // namespace gputrace::analyzer
