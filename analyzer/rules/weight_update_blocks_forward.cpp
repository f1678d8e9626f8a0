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

Finding nothing(std::string why) {
  Finding finding;
  finding.why = std::move(why);
  return finding;
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
  if (gain.count == 0) {
    finding.why = "There is nothing to overlap: no host work lies between a step's last call and the next step.";
    return finding;
  }
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
  if (2 * op_ns < tail_ns) return nothing("What the host does between steps is no op of the framework, so no update of weights waits there.");  // pauses and logging are other findings
  if (gain.share() < thresholds::kInfoShare) {
    return nothing(fmt::format("It could: the host updates for {} {} after the last gradient, and a layer's forward pass needs only that layer's weights. It would win next to "
                               "nothing here: {}, because the host is busy handing out work all the same.",
                               milliseconds(static_cast<double>(tail_ns) / input.metrics.step_count), per_step(input.metrics), time_change(input.metrics, gain.after_ns, gain.now_ns)));
  }
  set_found(finding, gain);
  finding.title = fmt::format("The update of the weights on the host takes {} {}, and the next forward pass waits for it",
                              milliseconds(static_cast<double>(tail_ns) / input.metrics.step_count), per_step(input.metrics));
  finding.why = fmt::format(
      "After the last gradient has come to the host, ops run on it until the step ends, and all GPUs are idle. A layer's forward pass needs only "
      "that layer's weights: done beside the next step's forward pass, {}. The host's own work is counted as before.",
      time_change(input.metrics, gain.after_ns, gain.now_ns));
  return finding;
}

}  // namespace

extern const Rule weight_update_blocks_forward;
constinit const Rule weight_update_blocks_forward{
    "weight-update-blocks-forward", "Does the next forward pass wait for the host to update weights?", look,
    {"Keep weights and optimizer on the GPU: optimizer = torch.optim.Adam(model.parameters(), fused=True); or update layer by layer: p.register_post_accumulate_grad_hook(update).",
     "Variables on the GPUs: tf.distribute.MirroredStrategy(); or let each layer's forward pass wait for its own variables only, without tf.control_dependencies([all_updates]).",
     "Update each layer as its gradient arrives, in a thread of its own, and order by event: cudaStreamWaitEvent(compute, layer_ready[i], 0) before that layer's forward pass."}};

}  // namespace gputrace::analyzer
