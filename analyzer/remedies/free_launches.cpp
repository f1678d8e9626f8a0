// What the host spends to hand out kernels goes to nothing, as when the step is launched as one CUDA graph.
#include <fmt/format.h>

#include "analyzer/call_kinds.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  for (const HostSequence& sequence : input.sequences) {
    for (const Task task : sequence.calls) {
      if (call_kind(input.trace.text(input.trace.api_calls.name[input.graph.row[task]])) != CallKind::launch) continue;
      const std::int64_t before_ns = graph.host_work_before_ns(task);
      if (before_ns <= static_cast<std::int64_t>(thresholds::kLaunchGapNs)) graph.set_host_work_before(task, 0);  // longer is other work
      graph.set_duration(task, 0);
      ++applied.count;
    }
  }
  applied.what = fmt::format("{} launches cost the host nothing", applied.count);
  return applied;
}

}  // namespace

extern const Remedy free_launches;
constinit const Remedy free_launches{"free-launches", "launching a kernel costs the host nothing, as within a CUDA graph", apply};

}  // namespace gputrace::analyzer
