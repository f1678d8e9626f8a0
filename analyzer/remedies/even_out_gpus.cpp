// A GPU whose kernels take longer than the same kernels of the other GPUs: they take as long as on the others.
#include <fmt/format.h>

#include "analyzer/kernel_paces.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const KernelPaces paces(input.trace, input.metrics);
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::kernel) continue;
    const double factor = paces.factor(input.graph.row[task]);
    if (factor < thresholds::kSlowGpuFactor) continue;
    graph.scale_duration(task, 1 / factor);
    ++applied.count;
  }
  applied.what = fmt::format("{} kernels take as long as on the other GPUs", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_gpus;
constinit const Remedy even_out_gpus{"even-out-gpus", "kernels of a slow GPU take as long as the same kernels of the others", apply};

}  // namespace gputrace::analyzer
