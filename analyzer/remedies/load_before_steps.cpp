// Kernels and modules are loaded before the steps begin: calls that load take their usual time.
#include <fmt/format.h>

#include "analyzer/loading_calls.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

// A kernel that is loaded in its launch starts only after that: the loading lies between the call's start and the kernel's.
void start_sooner(Task activity, Task call, const LoadingCalls& loading, const RemedyInput& input, ChangedGraph& graph) {
  const std::uint32_t row = input.graph.row[call];
  const std::int64_t loading_ns = input.trace.api_calls.span(row).duration_ns() - loading.usual_ns[row];
  const std::int64_t launched_ns = input.graph.recorded_ns[start_of(activity)] - input.graph.recorded_ns[start_of(call)];
  if (launched_ns >= loading_ns) graph.begin_at_once(activity, launched_ns - loading_ns);
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const LoadingCalls loading = find_loading_calls(input.trace, input.metrics);
  const auto loads = [&](Task call) { return loading.is_loading[input.graph.row[call]]; };
  for (Task task = 0; task < input.graph.task_count() && loading.count > 0; ++task) {
    if (is_activity(input.graph.kind[task])) {
      if (const auto call = input.graph.asked_by(task); call && loads(*call)) start_sooner(task, *call, loading, input, graph);
    } else if (input.graph.kind[task] == TaskKind::call && loads(task)) {
      graph.set_duration(task, loading.usual_ns[input.graph.row[task]]);
      ++applied.count;
    }
  }
  applied.what = fmt::format("{} calls within steps load nothing", applied.count);
  return applied;
}

}  // namespace

extern const Remedy load_before_steps;
constinit const Remedy load_before_steps{"load-before-steps", "kernels and modules are loaded before the steps begin", apply};

}  // namespace gputrace::analyzer
