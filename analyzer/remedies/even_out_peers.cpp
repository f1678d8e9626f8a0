// Copies between two GPUs that are slower than what joins them explains run at the rate of pairs that are joined alike.
#include <fmt/format.h>

#include "analyzer/peer_faults.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const trace::Copies& copies = input.trace.copies;
  const auto faults = peer_faults(input.trace, input.metrics);
  for (Task task = 0; task < input.graph.task_count() && !faults.empty(); ++task) {
    const std::uint32_t row = input.graph.row[task];
    if (input.graph.kind[task] != TaskKind::copy || copies.kind[row] != trace::CopyKind::peer_to_peer) continue;
    const auto fault = faults.find(pair_of(copies, row));
    if (fault == faults.end()) continue;
    graph.scale_duration(task, fault->second.own_bytes_per_s / fault->second.usual_bytes_per_s);
    ++applied.count;
  }
  applied.what = fmt::format("{} copies between GPUs run at the rate that what joins them gives", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_peers;
constinit const Remedy even_out_peers{"even-out-peers", "copies between GPUs that are slower than what joins them explains run at its usual rate", apply};

}  // namespace gputrace::analyzer
