// Runs a dependency graph with its recorded durations, or changed ones.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/replay/dependency_graph.h"

namespace gputrace::analyzer {

// The lag to use in place of the recorded one for an edge that leads to `to`; kNoEdge drops it.
inline constexpr std::int64_t kNoEdge = INT64_MIN;
using Change = std::function<std::int64_t(const DependencyGraph& graph, Moment to, const Edge& edge)>;
// The same for changes that depend on when things are then: `at_ns` holds the new times of all that `to` depends on.
using ChangeByTime = std::function<std::int64_t(const DependencyGraph& graph, Moment to, const Edge& edge, const std::vector<std::int64_t>& at_ns)>;

struct Replayed {
  std::vector<std::int64_t> at_ns;         // per moment
  std::vector<std::uint32_t> binding_edge; // per moment: the edge that decided; UINT32_MAX for a moment without edges
  std::int64_t start_ns = 0, end_ns = 0;   // of the whole
};

// Moments without edges keep their recorded time. Linear in edges.
Replayed replay(const DependencyGraph& graph, const Change& change = {});
Replayed replay(const DependencyGraph& graph, const ChangeByTime& change);

// The moments of the longest chain that ends at the replay's end, from the last to the first.
std::vector<Moment> critical_path(const DependencyGraph& graph, const Replayed& replayed);

}  // namespace gputrace::analyzer
