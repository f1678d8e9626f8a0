// All gradients go to the host in each step and all weights come back: they could be reduced between the GPUs.
#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/host_reduction.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy reduce_on_gpus;

namespace {

bool has_nvlink(const trace::Trace& trace) {
  for (const trace::Link& link : trace.links)
    if (link.kind == trace::LinkKind::nvlink) return true;
  return false;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  if (input.metrics.steps.spans.empty()) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no steps were recognised, so it is not known what comes back in each";
    return finding;
  }
  const auto reduction = find_host_reduction(input.trace, input.metrics);
  if (!reduction) return finding;
  const RemedyGain gain = gain_of(input, reduce_on_gpus);
  if (gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  const double steps = input.metrics.step_count, gpus = static_cast<double>(reduction->bytes.size());
  finding.title = fmt::format("Gradients of {:.0f} GPUs are reduced on the host: {} to it and back from each {}", gpus,
                              gigabytes(reduction->bytes_per_gpu() / steps), per_step(input.metrics));
  finding.why = fmt::format(
      "What comes from each GPU goes back in copies of the same sizes: gradients, then weights. That is {:.0f} copies {} and {} of copying over all "
      "GPUs, and the host's own sums and update, which grow with the number of GPUs. All-reduced between the GPUs{}, each of them "
      "updating its own weights, {}.",
      reduction->copies / steps, per_step(input.metrics), milliseconds(reduction->ns / steps), has_nvlink(input.trace) ? " over NVLink" : " over PCIe",
      time_change(input.metrics, gain.after_ns, gain.now_ns));
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i)
    if (reduction->is_part[i]) add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} {}", gigabytes(static_cast<double>(copies.bytes[i])), name(copies.kind[i]))});
  keep_longest(finding.evidence);
  return finding;
}

}  // namespace

extern const Rule gradients_reduced_on_host;
constinit const Rule gradients_reduced_on_host{
    "gradients-reduced-on-host", "Do gradients go to the host in each step, and weights back?", look,
    {"model = torch.nn.parallel.DistributedDataParallel(model.to(local_rank), device_ids=[local_rank]), a process per GPU (torchrun --nproc_per_node=N train.py).",
     "with tf.distribute.MirroredStrategy().scope(): model = build(); or with towers, variables on the GPUs and tf.contrib.nccl.all_sum(gradients) instead of an average on /cpu:0.",
     "ncclAllReduce(gradients, gradients, count, ncclFloat, ncclSum, comm, stream) per GPU between ncclGroupStart() and ncclGroupEnd(), then the update kernel on each."}};

}  // namespace gputrace::analyzer
