// The host reads small results back again and again, and waits for the GPU each time: the GPU is idle until the host goes on.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Readbacks {
  std::size_t count = 0;
  std::int64_t bytes = 0;
  std::vector<Evidence> evidence;
};

Readbacks small_readbacks(const RuleInput& input, trace::DeviceId device) {
  Readbacks found;
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.device[i] != device || copies.kind[i] != trace::CopyKind::device_to_host) continue;
    if (copies.bytes[i] > thresholds::kReadbackBytes) continue;
    if (copies.start_ns[i] < input.metrics.window.start_ns || copies.start_ns[i] >= input.metrics.window.end_ns) continue;
    ++found.count;
    found.bytes += copies.bytes[i];
    found.evidence.push_back({copies.span(i), device, fmt::format("{} bytes read back", copies.bytes[i])});
    if (found.evidence.size() >= 4 * kMaxEvidence) keep_longest(found.evidence);
  }
  keep_longest(found.evidence);
  return found;
}

std::int64_t held_up_ns(const DeviceMetrics& device) { return device.idle_ns[static_cast<std::size_t>(IdleCause::sync)]; }

Finding look(const RuleInput& input) {
  Finding finding;
  if (!input.trace.has(trace::Table::copies) || !input.trace.has(trace::Table::api_calls)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = input.trace.has(trace::Table::copies) ? "no API calls were captured" : "no copies were captured";
    return finding;
  }
  const auto worst = std::max_element(input.metrics.devices.begin(), input.metrics.devices.end(),
                                      [](const auto& a, const auto& b) { return held_up_ns(a) < held_up_ns(b); });
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (worst == input.metrics.devices.end() || window_ns <= 0) return finding;
  const double share = static_cast<double>(held_up_ns(*worst)) / window_ns;
  Readbacks readbacks = small_readbacks(input, worst->device);
  const double per_step_count = static_cast<double>(readbacks.count) / input.metrics.step_count;
  if (share < thresholds::kHeldUpShare || per_step_count < thresholds::kReadbacksPerStep) return finding;

  const double now_ns = step_ns(input.metrics), lost_ns = share * now_ns;
  finding.verdict = Verdict::found;
  finding.title = fmt::format("The host reads back {:.0f} small results from GPU {} {} and waits for each: {} of {}", per_step_count,
                              worst->device.value, per_step(input.metrics), percent(share), step_word(input.metrics));
  finding.why = fmt::format(
      "{} copies of {:.0f} bytes on average go from GPU {} to the host. For each the host waits until the GPU has done all that was asked of "
      "it, and only then asks for more, so the GPU has nothing to do for {} {}. The link is not the limit: the copies carry {} in all.",
      readbacks.count, static_cast<double>(readbacks.bytes) / static_cast<double>(readbacks.count), worst->device.value,
      milliseconds(lost_ns), per_step(input.metrics), gigabytes(static_cast<double>(readbacks.bytes)));
  finding.at_stake_ns_per_step = std::llround(lost_ns);
  set_gain(finding, now_ns, now_ns - lost_ns);
  finding.evidence = std::move(readbacks.evidence);
  finding.advice = {"Keep the value on the GPU and read it once at the end, or every hundredth step (PyTorch: collect loss.detach() and "
                    "call .item() or .cpu() once; no if on a tensor's value in the loop).",
                    "Read it without waiting: cudaMemcpyAsync into pinned memory and an event that is looked at a step later."};
  return finding;
}

}  // namespace

extern const Rule blocking_readbacks;
constinit const Rule blocking_readbacks{
    "blocking-readbacks", "Does the host read back small results and wait for each?", look};

}  // namespace gputrace::analyzer
