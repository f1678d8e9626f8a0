// Matrix products and convolutions run in single precision on a GPU whose tensor cores do not take part.
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/kernel_share.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

// Compute capability 7.0 (Volta) brought tensor cores for half precision, 8.0 (Ampere) for TF32.
Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  const KernelShare share = kernel_share(input, is_single_precision_arithmetic);
  if (share.share() < thresholds::kSinglePrecisionShare) return finding;
  const trace::Gpu* gpu = find_gpu(input.trace, share.device);
  if (gpu == nullptr || gpu->compute_major <= 0) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "the trace does not say of which generation the GPUs are, so it is not known whether they have tensor cores";
    return finding;
  }
  const bool nvidia = gpu->name.find("AMD") == std::string::npos && gpu->name.find("Radeon") == std::string::npos && gpu->name.find("Instinct") == std::string::npos;
  if (gpu->compute_major < 7 || !nvidia) return finding;
  const bool tf32 = gpu->compute_major >= 8;
  const double now_ns = step_ns(input.metrics);
  finding.verdict = Verdict::found;
  finding.severity = Severity::info;  // it changes results, so it is the program's choice
  finding.title = fmt::format("Tensor cores of GPU {} are not used: {} of kernel time is single-precision arithmetic", share.device.value, percent(share.share()));
  finding.why = fmt::format(
      "The largest kernels of it: {}. {} has tensor cores, for {}: several times the rate, at fewer digits. What is won depends on the shapes, and whether the model "
      "still learns is to be tried: no gain is predicted.",
      largest_labels(share), gpu->name.empty() ? fmt::format("GPU {}", share.device.value) : gpu->name, tf32 ? "TF32, BF16 and FP16" : "FP16");
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(now_ns * static_cast<double>(share.ns) / static_cast<double>(input.metrics.window.duration_ns()));
  finding.evidence = share.evidence;
  return finding;
}

}  // namespace

extern const Rule low_precision_unused;
constinit const Rule low_precision_unused{
    "low-precision-unused", "Does single-precision arithmetic leave tensor cores unused?", look,
    {"torch.set_float32_matmul_precision('high') for TF32; with torch.autocast('cuda', dtype=torch.bfloat16): around the forward pass (float16 with torch.amp.GradScaler on Volta).",
     "tf.keras.mixed_precision.set_global_policy('mixed_float16'); tf.config.experimental.enable_tensor_float_32_execution(True) from Ampere on.",
     "cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH); cublasGemmEx(..., CUBLAS_COMPUTE_32F_FAST_TF32, ...); cudnnSetConvolutionMathType(d, CUDNN_TENSOR_OP_MATH)."}};

}  // namespace gputrace::analyzer
