// What the training loop waits for its next batch goes to nothing: batches are ready when a step begins.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/input_waits.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const std::vector<trace::Span> waits = input_waits(input.trace, input.metrics.window);
  const auto& recorded = input.graph.recorded_ns;
  for (Task task = 0; task < input.graph.task_count() && !waits.empty(); ++task) {
    if (input.graph.kind[task] != TaskKind::call && input.graph.kind[task] != TaskKind::barrier) continue;
    const std::int64_t before_ns = graph.host_work_before_ns(task), end_ns = recorded[start_of(task)];
    const std::int64_t wait_ns = std::min(before_ns, covered_ns(waits, {end_ns - before_ns, end_ns}));
    if (wait_ns <= 0) continue;
    graph.set_host_work_before(task, before_ns - wait_ns);
    ++applied.count;
  }
  applied.what = fmt::format("{} waits for a batch take no time", applied.count);
  return applied;
}

}  // namespace

extern const Remedy hide_input;
constinit const Remedy hide_input{"hide-input", "every batch is ready when its step asks for it", apply};

}  // namespace gputrace::analyzer
