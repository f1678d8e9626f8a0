#include "analyzer/replay/slack.h"

#include <algorithm>

namespace gputrace::analyzer {

std::vector<std::int64_t> floats_ns(const DependencyGraph& graph, const Replayed& replayed) {
  std::vector<std::int64_t> latest_ns(graph.moment_count(), replayed.end_ns);
  for (auto moment = graph.order.rbegin(); moment != graph.order.rend(); ++moment) {
    for (std::uint32_t e = graph.first_edge[*moment]; e < graph.first_edge[*moment + 1]; ++e) {
      const Edge& edge = graph.edges[e];
      latest_ns[edge.from] = std::min(latest_ns[edge.from], latest_ns[*moment] - edge.lag_ns);
    }
  }
  for (Moment moment = 0; moment < graph.moment_count(); ++moment) latest_ns[moment] -= replayed.at_ns[moment];
  return latest_ns;
}

}  // namespace gputrace::analyzer
