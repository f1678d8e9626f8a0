// Small results that the host reads back, waiting for the GPU each time: they stay on the GPU.
#include <fmt/format.h>

#include "analyzer/launch_index.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

bool is_readback(const trace::Copies& copies, std::uint32_t row) {
  return copies.kind[row] == trace::CopyKind::device_to_host && copies.bytes[row] <= thresholds::kReadbackBytes;
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::copy || !is_readback(input.trace.copies, input.graph.row[task])) continue;
    const auto call = input.graph.asked_by(task);
    if (!call || !graph.waits_for_gpu(*call)) continue;
    graph.leave_out_activity(task);
    graph.leave_out_call(*call);
    ++applied.count;
  }
  applied.what = fmt::format("{} small results are not read back", applied.count);
  return applied;
}

}  // namespace

extern const Remedy remove_readbacks;
constinit const Remedy remove_readbacks{"remove-readbacks", "leave small results on the GPU that the host reads back and waits for", apply};

}  // namespace gputrace::analyzer
