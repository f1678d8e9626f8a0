// How far what happened is from deciding when a replay ends.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/replay.h"

namespace gputrace::analyzer {

// How much later an edge's end came than the edge alone would have had it; 0 for the edge that decided. Never negative for an edge
// with the lag that was replayed.
inline std::int64_t slack_ns(const Replayed& replayed, Moment to, const Edge& edge) {
  return replayed.at_ns[to] - (replayed.at_ns[edge.from] + edge.lag_ns);
}

// Per moment: how much later it could come without the replay's end coming later ("total float" of the critical path method);
// 0 on the critical path. Of a replay with recorded lags. Linear in edges.
std::vector<std::int64_t> floats_ns(const DependencyGraph& graph, const Replayed& replayed);

}  // namespace gputrace::analyzer
