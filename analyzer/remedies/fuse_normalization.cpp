// A normalization in one kernel: of its separate ones the first stays, with the time that a fused one takes.
#include <fmt/format.h>

#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"
#include "analyzer/unfused_normalization.h"

namespace gputrace::analyzer {
namespace {

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  std::vector<Task> tasks(input.trace.kernels.size(), 0);
  std::vector<bool> known(input.trace.kernels.size());
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::kernel) continue;
    tasks[input.graph.row[task]] = task;
    known[input.graph.row[task]] = true;
  }
  for (const UnfusedNormalization& normalization : find_unfused_normalizations(input.trace, input.metrics)) {
    bool first = true;
    for (const std::uint32_t row : normalization.kernels) {
      if (!known[row]) continue;
      if (first) {
        graph.set_duration(tasks[row], static_cast<std::int64_t>(thresholds::kFusedPasses * static_cast<double>(normalization.pass_ns)));
        first = false;
        continue;
      }
      graph.leave_out_activity(tasks[row]);
      if (const auto call = input.graph.asked_by(tasks[row])) graph.leave_out_call(*call);
      ++applied.count;
    }
  }
  applied.what = fmt::format("{} kernels become part of a fused normalization", applied.count);
  return applied;
}

}  // namespace

extern const Remedy fuse_normalization;
constinit const Remedy fuse_normalization{"fuse-normalization", "normalizations of several kernels become one kernel each", apply};

}  // namespace gputrace::analyzer
