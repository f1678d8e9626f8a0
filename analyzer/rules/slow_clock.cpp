// One GPU takes longer for the same kernels than the others, and they wait for it.
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/kernel_paces.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy even_out_gpus;

namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  const KernelPaces paces(input.trace, input.metrics);
  const auto slowest = paces.slowest();
  if (!slowest || slowest->factor < thresholds::kSlowGpuFactor) return finding;
  const RemedyGain gain = gain_of(input, even_out_gpus);
  // A slow GPU is a fault of the machine, worth a word even where other work hides it.
  set_found(finding, gain);
  finding.title = fmt::format("GPU {} takes {:.2f} times as long as the others for the same kernels", slowest->device.value, slowest->factor);
  finding.why = fmt::format(
      "Kernels of the same name and launch shape run on several GPUs; over all of them GPU {} takes {:.2f} times as long as the median of the others. ",
      slowest->device.value, slowest->factor);
  finding.why += gain.share() < thresholds::kInfoShare
                     ? "Something else is later still, so the step would not be shorter at the others' pace yet."
                     : fmt::format("The others wait for it in each step: at their pace {}.", time_change(input.metrics, gain.after_ns, gain.now_ns));
  const trace::Kernels& kernels = input.trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.device[i] != slowest->device || !input.metrics.holds(kernels.span(i))) continue;
    if (paces.factor(i) >= thresholds::kSlowGpuFactor) add_keeping_longest(finding.evidence, {kernels.span(i), slowest->device, {}});
  }
  keep_longest(finding.evidence);
  for (Evidence& evidence : finding.evidence) evidence.text = "a kernel that takes longer here than on the others";
  finding.advice = {fmt::format("nvidia-smi -i {} -q -d PERFORMANCE,CLOCK,TEMPERATURE says why its clock is low: heat, power cap, a fixed clock "
                                "(nvidia-smi -rgc), or another program on the same GPU.", slowest->device.value),
                    "Where the GPUs differ by model, give the slower one a smaller share of the batch."};
  return finding;
}

}  // namespace

extern const Rule slow_clock;
constinit const Rule slow_clock{"slow-clock", "Is one GPU slower than the others at the same kernels?", look,
    {"Where GPUs differ by model, give the slower one a smaller share: DistributedSampler by weights, or batch_sizes = [32, 32, 32, 20] by rank.",
     "Where GPUs differ by model, leave the slow one out: tf.distribute.MirroredStrategy(['/gpu:0', '/gpu:1', '/gpu:2']), or give its tower a smaller part of the batch.",
     "nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons) at run time; split work by cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, i) and measured rates."}};

}  // namespace gputrace::analyzer
