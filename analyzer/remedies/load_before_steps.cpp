// Kernels and modules are loaded before the steps begin: calls that load take their usual time.
#include <fmt/format.h>

#include "analyzer/loading_calls.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const LoadingCalls loading = find_loading_calls(input.trace, input.metrics);
  for (Task task = 0; task < input.graph.task_count() && loading.count > 0; ++task) {
    if (input.graph.kind[task] != TaskKind::call || !loading.is_loading[input.graph.row[task]]) continue;
    graph.set_duration(task, loading.usual_ns[input.graph.row[task]]);
    ++applied.count;
  }
  applied.what = fmt::format("{} calls within steps load nothing", applied.count);
  return applied;
}

}  // namespace

extern const Remedy load_before_steps;
constinit const Remedy load_before_steps{"load-before-steps", "kernels and modules are loaded before the steps begin", apply};

}  // namespace gputrace::analyzer
