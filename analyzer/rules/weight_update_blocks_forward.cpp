// The host works on after a step's last call, as in an update of weights on the CPU, and the next step begins only then.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy overlap_update;

namespace {

// Share of the host's time between steps that ops of the framework cover: without any, what happens there is not known.
std::int64_t op_ns_within(const OpRanges& ops, trace::Span span) {
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < ops.size(); ++i)
    covered += std::max<std::int64_t>(0, std::min(ops.span[i].end_ns, span.end_ns) - std::max(ops.span[i].start_ns, span.start_ns));
  return covered;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay(input, finding)) return finding;
  if (input.metrics.steps.source != StepSource::nvtx) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no NVTX ranges say where steps begin and end on the host";
    return finding;
  }
  const RemedyGain gain = gain_of(input, overlap_update);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  const DependencyGraph& graph = input.what_if.graph();
  const ChangedGraph recorded(graph);
  std::int64_t tail_ns = 0, op_ns = 0;
  for (Task task = 0; task < graph.task_count(); ++task) {
    if (graph.kind[task] != TaskKind::barrier) continue;
    const std::int64_t until_ns = graph.recorded_ns[start_of(task)], ns = recorded.host_work_before_ns(task);
    if (ns <= 0) continue;
    tail_ns += ns;
    op_ns += op_ns_within(input.metrics.ops, {until_ns - ns, until_ns});
    add_keeping_longest(finding.evidence, {{until_ns - ns, until_ns}, std::nullopt, "host work between the step's last call and its end"});
  }
  keep_longest(finding.evidence);
  if (2 * op_ns < tail_ns) {  // pauses and logging are other findings
    finding = {};
    return finding;
  }
  set_found(finding, gain);
  finding.title = fmt::format("The update of the weights on the host takes {} {}, and the next forward pass waits for it",
                              milliseconds(static_cast<double>(tail_ns) / input.metrics.step_count), per_step(input.metrics));
  finding.why = fmt::format(
      "After the last gradient has come to the host, ops run on it until the step ends, and all GPUs are idle. A layer's forward pass needs only "
      "that layer's weights: done beside the next step's forward pass, a step takes {} instead of {}. The host's own work is counted as before.",
      milliseconds(gain.after_ns), milliseconds(gain.now_ns));
  finding.advice = {"Update layer by layer while the next forward pass runs, each layer waiting for its own weights only (what MXNet's and BytePS's engines do).",
                    "Or keep weights and optimizer on the GPUs and all-reduce the gradients (PyTorch DistributedDataParallel; TensorFlow MirroredStrategy; NCCL)."};
  return finding;
}

}  // namespace

extern const Rule weight_update_blocks_forward;
constinit const Rule weight_update_blocks_forward{
    "weight-update-blocks-forward", "Does the next forward pass wait for the host to update weights?", look};

}  // namespace gputrace::analyzer
