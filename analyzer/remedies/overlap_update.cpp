// Host work after a step's last call, such as the update of weights on the CPU, is done beside the next step instead of before it.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  std::int64_t moved_ns = 0, previous_ns = 0;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::barrier) continue;
    // The next step is long enough to hide it only where it takes longer itself.
    const std::int64_t at_ns = input.graph.recorded_ns[start_of(task)], tail_ns = graph.host_work_before_ns(task);
    const std::int64_t step_ns = at_ns - previous_ns - tail_ns;
    const std::int64_t hidden_ns = previous_ns == 0 ? 0 : std::min(tail_ns, std::max<std::int64_t>(0, step_ns));
    previous_ns = at_ns;
    if (hidden_ns == 0) continue;
    graph.set_host_work_before(task, tail_ns - hidden_ns);
    graph.add_host_work_beside(hidden_ns);
    moved_ns += hidden_ns;
    ++applied.count;
  }
  applied.what = fmt::format("{:.1f} ms of host work after the last call of {} steps run beside the step after", static_cast<double>(moved_ns) / 1e6,
                             applied.count);
  return applied;
}

}  // namespace

extern const Remedy overlap_update;
constinit const Remedy overlap_update{"overlap-update", "host work after a step's last call runs beside the next step", apply};

}  // namespace gputrace::analyzer
