// A GPU computes for a small part of the time. What it waits for is what other findings say: this one is their symptom.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/rule.h"
#include "analyzer/sweep.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

std::int64_t computing_ns(const DeviceMetrics& device) {
  std::int64_t ns = 0;
  for (unsigned activity = 0; activity < 16; ++activity)
    if ((activity & kCompute) != 0) ns += device.part_ns[activity];
  return ns;
}

double share_of_trace(const RuleInput& input, trace::DeviceId device) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::vector<trace::Span> spans;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (kernels.device[i] == device && !input.metrics.is_communication[kernels.name[i].value]) spans.push_back(kernels.span(i));
  const auto trace_ns = static_cast<double>(std::max<std::int64_t>(1, input.trace.span().duration_ns()));
  return static_cast<double>(union_ns(std::move(spans))) / trace_ns;
}

const char* in_words(const std::string& part) {
  if (part == "communication") return "it only communicates";
  if (part == "copy") return "only copies run";
  if (part == "idle.host") return "the host has not come to the next launch yet";
  if (part == "idle.sync") return "the host has waited for the GPU and hands out the next work only then";
  if (part == "idle.launch") return "a launch is on its way";
  if (part == "idle.waiting") return "work is queued and waits for another stream, copy or GPU";
  if (part == "idle.no_more_work") return "nothing follows in the window";
  return nullptr;
}

// "10.9 % the host has not come to the next launch yet, ...": from 1 % of the window on.
std::string what_else(const DeviceMetrics& device, double window_ns) {
  auto parts = time_parts(device);
  std::stable_sort(parts.begin(), parts.end(), [](const TimePart& a, const TimePart& b) { return a.ns > b.ns; });
  std::string text;
  for (const TimePart& part : parts) {
    const char* words = in_words(part.key);
    const double share = static_cast<double>(part.ns) / window_ns;
    if (words == nullptr || share < thresholds::kInfoShare) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", percent(share), words);
  }
  return text.empty() ? "not known, as the calls that launch were not captured" : text;
}

void add_evidence(Finding& finding, const RuleInput& input, trace::DeviceId device) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::int64_t until_ns = input.metrics.window.start_ns;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.device[i] != device || !input.metrics.holds(kernels.span(i)) || input.metrics.is_communication[kernels.name[i].value]) continue;
    if (kernels.start_ns[i] > until_ns) add_keeping_longest(finding.evidence, {{until_ns, kernels.start_ns[i]}, device, "no kernel computes"});
    until_ns = std::max(until_ns, kernels.end_ns[i]);
  }
  if (until_ns < input.metrics.window.end_ns) finding.evidence.push_back({{until_ns, input.metrics.window.end_ns}, device, "no kernel computes"});
  keep_longest(finding.evidence);
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  if (input.trace.graph_launches.size() > 0) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "CUDA graphs were captured as a whole, so the GPU may compute where no kernel is seen";
    return finding;
  }
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  const DeviceMetrics* worst = nullptr;
  for (const DeviceMetrics& device : input.metrics.devices)
    if (device.kernel_ns > 0 && (worst == nullptr || computing_ns(device) < computing_ns(*worst))) worst = &device;
  if (worst == nullptr || window_ns <= 0) return finding;
  const double share = static_cast<double>(computing_ns(*worst)) / window_ns;
  if (share >= thresholds::kLowUtilization) return finding;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("GPU {} computes for {} of {}", worst->device.value, percent(share), step_word(input.metrics));
  finding.why = fmt::format("What GPU {} does in the rest of the time: {}. ", worst->device.value, what_else(*worst, window_ns));
  const double whole = share_of_trace(input, worst->device);
  if (whole < share - thresholds::kInfoShare) finding.why += fmt::format("Over the whole trace, start-up included, it computes for {}. ", percent(whole));
  finding.why += "Low utilization is how other causes show: faster kernels would lower it further.";
  finding.at_stake_ns_per_step = static_cast<std::int64_t>((1 - share) * step_ns(input.metrics));
  finding.severity = Severity::info;
  add_evidence(finding, input, worst->device);
  return finding;
}

}  // namespace

extern const Rule low_compute_utilization;
constinit const Rule low_compute_utilization{
    "low-compute-utilization", "Does a GPU compute for a small part of the time?", look,
    {"See what the loop waits for: with torch.profiler.profile(with_stack=True) as p: step(); then a larger batch or model = torch.compile(model) gives each launch more work.",
     "See what the loop waits for: tf.profiler.experimental.start('logs'); then dataset.prefetch(tf.data.AUTOTUNE) and a larger batch give each launch more work.",
     "Keep the queue full: launch ahead and wait late, cudaEventSynchronize(two_steps_ago) instead of cudaDeviceSynchronize() in each step."}};

}  // namespace gputrace::analyzer
