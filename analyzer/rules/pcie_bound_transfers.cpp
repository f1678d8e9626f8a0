// Copies between host and GPU that no kernel hides, large enough that the link's rate sets their time.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/host_detours.h"
#include "analyzer/host_links.h"
#include "analyzer/host_memory.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

extern const Remedy halve_copies;

namespace {

using trace::CopyKind;

struct Traffic {  // of one direction of one GPU, copies that the link's rate bounds
  std::int64_t bytes = 0, ns = 0, pageable_bytes = 0, pinned_bytes = 0;
  bool is_mostly(std::int64_t part_bytes) const { return 2 * part_bytes > bytes; }
  double bytes_per_s() const { return ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(ns) : 0; }
};

// Copies of data that the host works on in the midst of a step: nothing can hide them, and cpu-placed-ops tells of them.
std::vector<bool> copies_of_detours(const RuleInput& input) {
  if (!input.what_if.possible()) return std::vector<bool>(input.trace.copies.size());
  return find_host_detours(input.trace, input.metrics, input.what_if.graph(), input.what_if.sequences()).is_part;
}

Traffic traffic(const RuleInput& input, trace::DeviceId device, CopyKind direction, const std::vector<bool>& left_out) {
  const trace::Copies& copies = input.trace.copies;
  Traffic sum;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (left_out[i] || copies.device[i] != device || copies.kind[i] != direction || copies.bytes[i] < thresholds::kLinkBoundBytes) continue;
    if (copies.start_ns[i] < input.metrics.window.start_ns || copies.end_ns[i] > input.metrics.window.end_ns) continue;
    sum.bytes += copies.bytes[i];
    sum.ns += copies.span(i).duration_ns();
    const trace::MemoryKind memory = memory_of_copy(copies, i);
    if (memory == trace::MemoryKind::pageable) sum.pageable_bytes += copies.bytes[i];
    if (memory == trace::MemoryKind::pinned) sum.pinned_bytes += copies.bytes[i];
  }
  return sum;
}

struct Exposed {
  trace::DeviceId device{};
  std::int64_t exposed_ns = 0, copy_ns = 0;  // of the window: with no kernel; in all
};

std::optional<Exposed> most_exposed(const RuleInput& input, const std::vector<bool>& left_out) {
  std::map<trace::DeviceId, std::int64_t> left_out_ns;
  for (std::size_t i = 0; i < left_out.size(); ++i)
    if (left_out[i] && input.metrics.holds(input.trace.copies.span(i))) left_out_ns[input.trace.copies.device[i]] += input.trace.copies.span(i).duration_ns();
  std::optional<Exposed> worst;
  for (const DeviceMetrics& device : input.metrics.devices) {
    const auto left = [&](std::int64_t ns) { return std::max<std::int64_t>(0, ns - left_out_ns[device.device]); };
    const Exposed exposed{device.device, left(device.exposed_host_copy_ns), left(device.host_copy_ns)};
    if (!worst || exposed.exposed_ns > worst->exposed_ns) worst = exposed;
  }
  return worst;
}

// What the rate says of the link, where that is known.
std::string pinned_words(double bytes_per_s, const LinkLimit& limit) {
  const double share = bytes_per_s / limit.bytes_per_s;
  const std::string of = fmt::format("{} of {}, {}", percent(share), gigabytes_per_second(limit.bytes_per_s), limit.source);
  if (limit.kind == LinkLimit::Kind::seen) return ", pinned (" + of + "; which link it is the trace does not say)";
  if (share < thresholds::kAtLinkRate) return ", pinned, below what the link could do (" + of + ")";
  return ". The host memory is pinned already and the copies run at the link's rate (" + of + "): they cannot be made faster, only fewer, smaller or hidden";
}

std::string rate_sentence(const Traffic& sum, CopyKind direction, const std::optional<LinkLimit>& limit) {
  std::string text = fmt::format("{} {} in {} at {}", gigabytes(static_cast<double>(sum.bytes)), name(direction),
                                 milliseconds(static_cast<double>(sum.ns)), gigabytes_per_second(sum.bytes_per_s()));
  if (sum.is_mostly(sum.pageable_bytes)) {
    text += direction == CopyKind::host_to_device ? ", from pageable memory" : ", to pageable memory";
    text += ", which the driver stages through a pinned buffer";
    if (limit && limit->tells_of_link()) text += fmt::format(" (the link could do {}, {})", gigabytes_per_second(limit->bytes_per_s), limit->source);
  } else if (limit && sum.is_mostly(sum.pinned_bytes)) {
    text += pinned_words(sum.bytes_per_s(), *limit);
  } else if (limit && limit->tells_of_link()) {
    text += fmt::format(" ({} of {}, {})", percent(sum.bytes_per_s() / limit->bytes_per_s), gigabytes_per_second(limit->bytes_per_s), limit->source);
  }
  return text + ".";
}

void add_evidence(Finding& finding, const RuleInput& input, trace::DeviceId device, const std::vector<bool>& left_out) {
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const bool to_host = copies.kind[i] == CopyKind::device_to_host;
    if (left_out[i] || copies.device[i] != device || (!to_host && copies.kind[i] != CopyKind::host_to_device)) continue;
    if (copies.bytes[i] < thresholds::kLinkBoundBytes || copies.start_ns[i] < input.metrics.window.start_ns) continue;
    add_keeping_longest(finding.evidence, {copies.span(i), device, {}});
  }
  keep_longest(finding.evidence);
  for (Evidence& evidence : finding.evidence) {
    evidence.text = fmt::format("copy between host and GPU {}, {}", device.value,
                                milliseconds(static_cast<double>(evidence.span.duration_ns())));
  }
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const std::vector<bool> left_out = copies_of_detours(input);
  const auto device = most_exposed(input, left_out);
  const auto window_ns = static_cast<double>(input.metrics.window.duration_ns());
  if (!device || window_ns <= 0) return finding;
  const double exposed_share = static_cast<double>(device->exposed_ns) / window_ns;
  const std::array directions{CopyKind::host_to_device, CopyKind::device_to_host};
  std::array<Traffic, 2> sums;
  for (std::size_t d = 0; d < 2; ++d) sums[d] = traffic(input, device->device, directions[d], left_out);
  const auto link_bound_ns = static_cast<double>(sums[0].ns + sums[1].ns);
  if (exposed_share < thresholds::kExposedCopyShare || 2 * link_bound_ns < static_cast<double>(device->copy_ns)) return finding;

  finding.verdict = Verdict::found;
  finding.title = fmt::format("GPU {} waits for copies over PCIe for {} of {}", device->device.value, percent(exposed_share),
                              step_word(input.metrics));
  const double window_to_step = step_ns(input.metrics) / window_ns;
  const double exposed_ns = static_cast<double>(device->exposed_ns) * window_to_step;
  const double rest_ns = step_ns(input.metrics) - exposed_ns;
  const double hidden_ns = std::max(static_cast<double>(device->copy_ns) * window_to_step, rest_ns);
  const HostLinks links(input.trace);
  for (std::size_t d = 0; d < 2; ++d) {
    if (sums[d].bytes > 0) finding.why += rate_sentence(sums[d], directions[d], links.limit(device->device, directions[d])) + " ";
  }
  finding.why += fmt::format("{} of copies {} run while no kernel does; ", milliseconds(exposed_ns), per_step(input.metrics));
  RemedyGain gain{1, "", step_ns(input.metrics), step_ns(input.metrics) - exposed_ns / 2};
  if (input.what_if.possible()) gain = gain_of(input, halve_copies);
  const std::string hidden = milliseconds(step_ns(input.metrics) - hidden_ns), halved = milliseconds(gain.won_ns());
  finding.why += hidden == milliseconds(exposed_ns)
                     ? fmt::format("the kernels take long enough to hide all of them; moving half the bytes wins {}.", halved)
                     : fmt::format("hiding them behind the kernels alone wins {}, moving half the bytes {}, not moving them at all {}.", hidden, halved, milliseconds(exposed_ns));
  set_found(finding, gain);
  finding.at_stake_ns_per_step = static_cast<std::int64_t>(exposed_ns);
  finding.severity = severity_of(exposed_share);
  add_evidence(finding, input, device->device, left_out);
  if (sums[0].is_mostly(sums[0].pageable_bytes)) {
    finding.advice.push_back("Copy from pinned memory (PyTorch: DataLoader(pin_memory=True); CUDA: cudaHostAlloc).");
  }
  return finding;
}

}  // namespace

extern const Rule pcie_bound_transfers;
constinit const Rule pcie_bound_transfers{
    "pcie-bound-transfers", "Does a GPU wait for large copies over its link to the host?", look,
    {"Keep weights and tables on the GPU: model.to('cuda') once; prefetch the next part in a side stream: next_part.to('cuda', non_blocking=True); send half the bytes: x.half().",
     "Keep variables on the GPU: with tf.device('/gpu:0'): w = tf.Variable(...); send half the bytes: tf.cast(x, tf.float16) before it is fed; dataset.prefetch(tf.data.AUTOTUNE).",
     "cudaMemcpyAsync(next, host, size, cudaMemcpyHostToDevice, copy_stream) beside the kernels of this part; keep what does not change on the GPU; send 16 or 8 bits."}};

}  // namespace gputrace::analyzer
