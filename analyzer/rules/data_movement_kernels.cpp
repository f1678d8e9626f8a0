// Padding, broadcasts and casts that run as kernels of their own: passes over memory that compute nothing.
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/kernel_share.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy fuse_data_movement;

namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  const KernelShare share = kernel_share(input, is_data_movement);
  if (share.share() < thresholds::kDataMovementShare) return finding;
  const RemedyGain gain = gain_of(input, fuse_data_movement);
  if (gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  finding.title = fmt::format("Padding, broadcasts and casts take {} of kernel time on GPU {}", percent(share.share()), share.device.value);
  finding.why = fmt::format(
      "{:.0f} kernels {} copy a tensor into a larger one, stretch a small one, or change its type, and compute nothing: {}. Each is a launch and a "
      "pass over memory that the kernel after it can do without: convolutions pad by themselves, fused kernels read the small tensor as it is. "
      "Without them {}.", static_cast<double>(share.calls) / input.metrics.step_count, per_step(input.metrics), largest_labels(share),
      time_change(input.metrics, gain.after_ns, gain.now_ns));
  finding.evidence = share.evidence;
  return finding;
}

}  // namespace

extern const Rule data_movement_kernels;
constinit const Rule data_movement_kernels{
    "data-movement-kernels", "Do padding, broadcasts and casts run as kernels of their own?", look,
    {"nn.Conv2d(c, k, 3, padding=1) instead of F.pad(x, ...) before it; no .expand(...).contiguous(); model = torch.compile(model) fuses broadcasts and casts.",
     "tf.nn.conv2d(x, w, strides=1, padding='SAME') instead of tf.pad(x, ...) before it; tf.nn.fused_batch_norm(...) and tf.nn.bias_add(x, b) instead of arithmetic on [1,C,1,1] "
     "tensors; tf.function(f, jit_compile=True).",
     "cudnnSetConvolution2dDescriptor(d, pad_h, pad_w, ...) pads inside the convolution; index the small tensor in the kernel that reads it: y[i] = a[i] * b[i % c]."}};

}  // namespace gputrace::analyzer
