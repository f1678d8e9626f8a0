#include "analyzer/replay/replay.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

template <class Lag>
Replayed replay_with(const DependencyGraph& graph, const Lag& lag_of) {
  Replayed result;
  result.at_ns = graph.recorded_ns;
  result.binding_edge.assign(graph.moment_count(), kNone);
  for (const Moment moment : graph.order) {
    std::int64_t latest_ns = INT64_MIN;
    for (std::uint32_t e = graph.first_edge[moment]; e < graph.first_edge[moment + 1]; ++e) {
      const Edge& edge = graph.edges[e];
      const std::int64_t lag_ns = lag_of(moment, edge, result.at_ns);
      if (lag_ns == kNoEdge || result.at_ns[edge.from] + lag_ns <= latest_ns) continue;
      latest_ns = result.at_ns[edge.from] + lag_ns;
      result.binding_edge[moment] = e;
    }
    if (result.binding_edge[moment] != kNone) result.at_ns[moment] = latest_ns;
  }
  if (!result.at_ns.empty()) {
    const auto [first, last] = std::minmax_element(result.at_ns.begin(), result.at_ns.end());
    result.start_ns = *first;
    result.end_ns = *last;
  }
  return result;
}

}  // namespace

Replayed replay(const DependencyGraph& graph, const Change& change) {
  if (!change) return replay_with(graph, [](Moment, const Edge& edge, const auto&) { return edge.lag_ns; });
  return replay_with(graph, [&](Moment to, const Edge& edge, const auto&) { return change(graph, to, edge); });
}

Replayed replay(const DependencyGraph& graph, const ChangeByTime& change) {
  return replay_with(graph, [&](Moment to, const Edge& edge, const auto& at_ns) { return change(graph, to, edge, at_ns); });
}

std::vector<Moment> critical_path(const DependencyGraph& graph, const Replayed& replayed) {
  std::vector<Moment> path;
  if (replayed.at_ns.empty()) return path;
  auto moment = static_cast<Moment>(std::max_element(replayed.at_ns.begin(), replayed.at_ns.end()) - replayed.at_ns.begin());
  while (path.size() <= graph.moment_count()) {
    path.push_back(moment);
    const std::uint32_t edge = replayed.binding_edge[moment];
    if (edge == kNone) break;
    moment = graph.edges[edge].from;
  }
  return path;
}

}  // namespace gputrace::analyzer
