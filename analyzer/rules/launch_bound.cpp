// The GPU runs dry because the host hands out kernels more slowly than they run.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy free_launches;

namespace {

double late_ns(const DeviceMetrics& device) { return device.kernel_ns > 0 ? static_cast<double>(device.late_launch_ns) : -1; }

std::size_t kernels_in_window(const RuleInput& input, trace::DeviceId device) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    count += kernels.device[i] == device && kernels.start_ns[i] >= input.metrics.window.start_ns &&
             kernels.start_ns[i] < input.metrics.window.end_ns;
  }
  return count;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels) || !input.trace.has(trace::Table::api_calls)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = input.trace.has(trace::Table::kernels) ? "no API calls were captured" : "no kernels were captured";
    return finding;
  }
  if (input.trace.graph_launches.size() > 0) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "CUDA graphs were captured as a whole, so the GPU may be busy where no kernel is seen";
    return finding;
  }
  const auto worst = std::max_element(input.metrics.devices.begin(), input.metrics.devices.end(),
                                      [](const auto& a, const auto& b) { return late_ns(a) < late_ns(b); });
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (worst == input.metrics.devices.end() || worst->kernel_ns == 0 || window_ns <= 0) return finding;
  const double share = late_ns(*worst) / window_ns;
  const std::size_t kernels = kernels_in_window(input, worst->device);
  if (share < thresholds::kLaunchBoundShare || kernels == 0) return finding;
  // Where the host is busy with other calls, cheaper launches would not help.
  std::optional<RemedyGain> gain;
  if (input.what_if.possible()) gain = gain_of(input, free_launches);
  if (gain && gain->share() < thresholds::kInfoShare) return finding;
  const double gap_per_kernel_ns = late_ns(*worst) / static_cast<double>(kernels);

  const double now_ns = step_ns(input.metrics), window_to_step = now_ns / window_ns;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("GPU {} runs dry for {} of {}: the host cannot launch kernels fast enough", worst->device.value,
                              percent(share), step_word(input.metrics));
  finding.why = fmt::format(
      "{:.0f} kernels {} run {} on average; before each the GPU waits another {} for its launch. In all {} pass with "
      "nothing to run while the next call has not come from the host. Faster kernels or more streams would not shorten {}; handing out "
      "work faster would, by that time at most.",
      static_cast<double>(kernels) / input.metrics.step_count, per_step(input.metrics),
      milliseconds(static_cast<double>(worst->kernel_ns) / static_cast<double>(kernels)), milliseconds(gap_per_kernel_ns),
      milliseconds(late_ns(*worst) * window_to_step), step_word(input.metrics));
  finding.at_stake_ns_per_step = std::llround(late_ns(*worst) * window_to_step);
  if (gain) {
    set_found(finding, *gain);
  } else {
    set_gain(finding, now_ns, now_ns - late_ns(*worst) * window_to_step);
  }
  for (const Gap& gap : worst->longest_late_launches) {
    finding.evidence.push_back({gap.span, worst->device, fmt::format("idle {}, the next launch comes late", milliseconds(static_cast<double>(gap.span.duration_ns())))});
  }
  return finding;
}

}  // namespace

extern const Rule launch_bound;
constinit const Rule launch_bound{"launch-bound", "Does the GPU wait for the host to launch its next kernel?", look,
    {"model = torch.compile(model, mode='reduce-overhead') fuses element-wise chains and launches a CUDA graph; by hand: torch.cuda.graph(g). One process per GPU: torchrun --nproc_per_node=N.",
     "tf.function(step, jit_compile=True) fuses element-wise chains, padding and broadcasts; tf.nn.fused_batch_norm(...) instead of its arithmetic; a thread or process per GPU.",
     "cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal); step(stream); cudaStreamEndCapture(stream, &graph); then cudaGraphLaunch(exec, stream) per step."}};

}  // namespace gputrace::analyzer
