// Kernels that only change a tensor's layout, between NCHW and NHWC or by a transpose.
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/kernel_share.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy keep_one_layout;

namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  const KernelShare share = kernel_share(input, is_layout_conversion);
  if (share.share() < thresholds::kLayoutShare) return finding;
  const RemedyGain gain = gain_of(input, keep_one_layout);
  if (gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  finding.title = fmt::format("Changes of layout take {} of kernel time on GPU {}", percent(share.share()), share.device.value);
  finding.why = fmt::format(
      "{:.0f} kernels {} only put a tensor's elements into another order: {}. They come where neighbouring ops want different layouts. Without them "
      "{}. NCHW needs none where convolutions run in single precision; tensor cores in half precision want NHWC.",
      static_cast<double>(share.calls) / input.metrics.step_count, per_step(input.metrics), largest_labels(share), time_change(input.metrics, gain.after_ns, gain.now_ns));
  finding.evidence = share.evidence;
  return finding;
}

}  // namespace

extern const Rule layout_conversions;
constinit const Rule layout_conversions{
    "layout-conversions", "Do kernels only change the layout of tensors?", look,
    {"model = model.to(memory_format=torch.channels_last); x = x.to(memory_format=torch.channels_last), for the model and its input, once.",
     "Build the whole graph in one layout: tf.nn.conv2d(..., data_format='NCHW') with tf.nn.fused_batch_norm(..., data_format='NCHW') on GPUs; no tf.transpose "
     "around an op.",
     "cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NHWC or CUDNN_TENSOR_NCHW, ...): the same for every tensor, the one that the fastest convolution takes."}};

}  // namespace gputrace::analyzer
