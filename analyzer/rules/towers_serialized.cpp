// Host threads of a step, each for its own GPU, run one after the other: at most one GPU works at a time.
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy start_threads_together;

namespace {

std::size_t used_gpus(const Metrics& metrics) {
  std::size_t used = 0;
  for (const DeviceMetrics& device : metrics.devices) used += device.kernel_ns > 0 ? 1 : 0;
  return used;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  const std::size_t gpus = used_gpus(input.metrics);
  if (gpus < 2) return finding;
  const RemedyGain gain = gain_of(input, start_threads_together);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  finding.title = fmt::format("The {} GPUs work one after the other, not at the same time", gpus);
  finding.why = fmt::format(
      "In each step a host thread begins only after another one has made its last call, {:.0f} times {}: the GPUs take turns. Started "
      "together, {}.", gain.per_step(input.metrics), per_step(input.metrics), time_change(input.metrics, gain.after_ns, gain.now_ns));
  const Steps& steps = input.metrics.steps;
  for (std::size_t s = steps.warm_up; s < steps.spans.size() && finding.evidence.size() < kMaxEvidence; ++s)
    finding.evidence.push_back({steps.spans[s], std::nullopt, fmt::format("step {}", s)});
  return finding;
}

}  // namespace

extern const Rule towers_serialized;
constinit const Rule towers_serialized{"towers-serialized", "Do the GPUs work one after the other?", look,
    {"One process per GPU: torchrun --nproc_per_node=N train.py with DistributedDataParallel(model) instead of a loop over devices.",
     "Build all towers into one session.run([op_0, op_1]), without tf.control_dependencies between them; or tf.distribute.MirroredStrategy().",
     "Start all threads before joining any: for (auto& t : towers) threads.emplace_back(run, t); no cudaStreamSynchronize before the next GPU gets its work."}};

}  // namespace gputrace::analyzer
