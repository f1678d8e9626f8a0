// Large copies between host and GPU move half the bytes: of half the digits, or of half the data.
#include <fmt/format.h>

#include "analyzer/host_detours.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  const trace::Copies& copies = input.trace.copies;
  const std::vector<bool> in_detour = find_host_detours(input.trace, input.metrics, input.graph, input.sequences).is_part;
  Applied applied;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::copy) continue;
    const std::uint32_t row = input.graph.row[task];
    const bool with_host = copies.kind[row] == trace::CopyKind::host_to_device || copies.kind[row] == trace::CopyKind::device_to_host;
    if (!with_host || in_detour[row] || copies.bytes[row] < static_cast<std::int64_t>(thresholds::kLinkBoundBytes)) continue;
    graph.scale_duration(task, 0.5);
    ++applied.count;
  }
  applied.what = fmt::format("{} copies between host and GPUs move half the bytes", applied.count);
  return applied;
}

}  // namespace

extern const Remedy halve_copies;
constinit const Remedy halve_copies{"halve-copies", "large copies between host and GPU move half the bytes", apply};

}  // namespace gputrace::analyzer
