// Batch or layer norm written out: reductions, a reciprocal root and scalings, each a kernel and a pass over memory.
#include "analyzer/unfused_normalization.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy fuse_normalization;

namespace {

struct OnGpu {
  double ns = 0, all_ns = 0;
  std::size_t kernels = 0, normalizations = 0;
};

// On the GPU where they take most.
std::pair<trace::DeviceId, OnGpu> most_of(const RuleInput& input, const std::vector<UnfusedNormalization>& found) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::map<trace::DeviceId, OnGpu> gpus;
  for (const UnfusedNormalization& normalization : found) {
    OnGpu& gpu = gpus[kernels.device[normalization.kernels.front()]];
    ++gpu.normalizations;
    gpu.kernels += normalization.kernels.size();
    for (const std::uint32_t row : normalization.kernels) gpu.ns += static_cast<double>(kernels.span(row).duration_ns());
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto gpu = gpus.find(kernels.device[i]);
    if (gpu != gpus.end() && input.metrics.holds(kernels.span(i)) && !input.metrics.is_communication[kernels.name[i].value])
      gpu->second.all_ns += static_cast<double>(kernels.span(i).duration_ns());
  }
  const auto most = std::max_element(gpus.begin(), gpus.end(), [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  if (most == gpus.end()) return {};
  return {most->first, most->second};
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  const auto found = find_unfused_normalizations(input.trace, input.metrics);
  const auto [device, gpu] = most_of(input, found);
  if (gpu.normalizations == 0 || gpu.ns < thresholds::kUnfusedNormalizationShare * gpu.all_ns) return finding;
  const RemedyGain gain = gain_of(input, fuse_normalization);
  if (gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  const trace::Kernels& kernels = input.trace.kernels;
  std::uint32_t longest = found.front().kernels.front();
  for (const UnfusedNormalization& normalization : found) {
    for (const std::uint32_t row : normalization.kernels) {
      if (kernels.device[row] != device) continue;
      if (kernels.span(row).duration_ns() > kernels.span(longest).duration_ns()) longest = row;
      add_keeping_longest(finding.evidence, {kernels.span(row), device, input.metrics.kernels.of(kernels.name[row]).label});
    }
  }
  keep_longest(finding.evidence);
  finding.title = fmt::format("Normalization in separate kernels takes {} of kernel time on GPU {}", percent(gpu.ns / gpu.all_ns), device.value);
  finding.why = fmt::format(
      "{:.0f} normalizations {} are {:.0f} kernels of their own: means and variances, reciprocal roots, and passes that put them on each element. The longest is "
      "{} with {} in {} block{}. A fused kernel takes about {:.1f} passes over the tensor: with it, {}.",
      static_cast<double>(gpu.normalizations) / input.metrics.step_count, per_step(input.metrics), static_cast<double>(gpu.kernels) / input.metrics.step_count,
      input.metrics.kernels.of(kernels.name[longest]).label, milliseconds(static_cast<double>(kernels.span(longest).duration_ns())), kernels.grid[longest].count(),
      kernels.grid[longest].count() == 1 ? "" : "s", static_cast<double>(thresholds::kFusedPasses), time_change(input.metrics, gain.after_ns, gain.now_ns));
  return finding;
}

}  // namespace

extern const Rule unfused_normalization;
constinit const Rule unfused_normalization{
    "unfused-normalization", "Is a normalization written out in separate kernels?", look,
    {"torch.nn.BatchNorm2d(c), torch.nn.functional.layer_norm(x, shape, w, b) or torch.nn.functional.rms_norm(x, shape, w) instead of mean(), var() and rsqrt(); else torch.compile(model).",
     "tf.nn.fused_batch_norm(x, scale, offset, data_format='NCHW') or tf.keras.layers.BatchNormalization(fused=True) instead of tf.nn.moments(x, [0, 2, 3]) with "
     "tf.nn.batch_normalization on [1,C,1,1] tensors; sums over axes that are not neighbours are slow.",
     "cudnnBatchNormalizationForwardTraining(handle, CUDNN_BATCHNORM_SPATIAL_PERSISTENT, ...) and its backward, in NHWC with CUDNN_BATCHNORM_OPS_BN_ACTIVATION."}};

}  // namespace gputrace::analyzer
