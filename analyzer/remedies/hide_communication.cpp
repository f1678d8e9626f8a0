// Copies between GPUs and kernels of collectives take no time: the most that hiding them behind computing can win.
#include <fmt/format.h>

#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

bool communicates(const RemedyInput& input, Task task) {
  const std::uint32_t row = input.graph.row[task];
  if (input.graph.kind[task] == TaskKind::copy) return input.trace.copies.kind[row] == trace::CopyKind::peer_to_peer;
  return input.graph.kind[task] == TaskKind::kernel && input.metrics.is_communication[input.trace.kernels.name[row].value];
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (!communicates(input, task)) continue;
    graph.set_duration(task, 0);
    ++applied.count;
  }
  applied.what = fmt::format("{} copies between GPUs and kernels of collectives take no time", applied.count);
  return applied;
}

}  // namespace

extern const Remedy hide_communication;
constinit const Remedy hide_communication{"hide-communication", "communication between GPUs takes no time: the most that hiding it can win", apply};

}  // namespace gputrace::analyzer
