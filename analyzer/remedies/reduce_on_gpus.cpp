// Gradients are all-reduced between the GPUs, and weights stay there: what went to the host and back is left out, the host's update too.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analyzer/host_reduction.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

// A ring moves each byte 2 (n - 1) / n times over each GPU's link. Of one step.
std::int64_t all_reduce_ns(const RemedyInput& input, const HostReduction& reduction, trace::DeviceId device) {
  const auto gpus = static_cast<double>(reduction.bytes.size());
  const double rate = exchange_rate(input.trace, device), bytes = reduction.bytes.at(device) / input.metrics.step_count;
  return rate > 0 ? static_cast<std::int64_t>(2 * (gpus - 1) / gpus * bytes * 1e9 / rate) : 0;
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const auto reduction = find_host_reduction(input.trace, input.metrics);
  if (!reduction) return applied;
  const Steps& steps = input.metrics.steps;
  std::set<std::pair<std::size_t, trace::DeviceId>> reduced;  // steps and GPUs that have their all-reduce
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] == TaskKind::barrier) graph.set_host_work_before(task, 0);
    const std::uint32_t row = input.graph.row[task];
    if (input.graph.kind[task] != TaskKind::copy || !reduction->is_part[row]) continue;
    ++applied.count;
    const trace::Copies& copies = input.trace.copies;
    const auto step = static_cast<std::size_t>(std::partition_point(steps.spans.begin(), steps.spans.end(), [&](const trace::Span& it) { return it.end_ns <= copies.start_ns[row]; }) - steps.spans.begin());
    // The step's first copy to the host becomes the all-reduce: that is when its gradients begin to be ready.
    const bool first = copies.kind[row] == trace::CopyKind::device_to_host && reduced.emplace(step, copies.device[row]).second;
    graph.leave_out_activity(task);
    if (first) graph.set_duration(task, all_reduce_ns(input, *reduction, copies.device[row]));
    if (const auto call = input.graph.asked_by(task); call && !first) graph.leave_out_call(*call);
  }
  applied.what = fmt::format("{} copies of gradients and weights become an all-reduce between the GPUs in each step", applied.count);
  return applied;
}

}  // namespace

extern const Remedy reduce_on_gpus;
constinit const Remedy reduce_on_gpus{"reduce-on-gpus", "gradients are all-reduced between GPUs and weights stay there", apply};

}  // namespace gputrace::analyzer
