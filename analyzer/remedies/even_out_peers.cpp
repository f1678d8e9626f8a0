// Copies between two GPUs that are joined by a slower path than others run at the rate of the best.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/peer_rates.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const trace::Copies& copies = input.trace.copies;
  const auto rates = peer_rates(input.trace, input.metrics);
  double best = 0;
  for (const auto& [pair, rate] : rates) best = std::max(best, rate.bytes_per_s);
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    const std::uint32_t row = input.graph.row[task];
    if (input.graph.kind[task] != TaskKind::copy || copies.kind[row] != trace::CopyKind::peer_to_peer || copies.bytes[row] < thresholds::kLinkBoundBytes) continue;
    const auto own = rates.find(pair_of(copies, row));
    if (own == rates.end() || best < thresholds::kSlowLinkFactor * own->second.bytes_per_s) continue;
    graph.scale_duration(task, own->second.bytes_per_s / best);
    ++applied.count;
  }
  applied.what = fmt::format("{} copies between GPUs run at the rate of the fastest pair", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_peers;
constinit const Remedy even_out_peers{"even-out-peers", "copies between GPUs with a slow path run at the rate of the fastest pair", apply};

}  // namespace gputrace::analyzer
