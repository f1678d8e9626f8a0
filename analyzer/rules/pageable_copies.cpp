// Copies from and to pageable memory: slower than the link, and the host waits for each.
#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy pin_copies;

namespace {

bool is_pageable(const trace::Copies& copies, std::size_t i) {
  using trace::CopyKind;
  using trace::MemoryKind;
  if (!copies.has_size(i)) return false;
  return (copies.kind[i] == CopyKind::host_to_device && copies.source_memory[i] == MemoryKind::pageable) ||
         (copies.kind[i] == CopyKind::device_to_host && copies.destination_memory[i] == MemoryKind::pageable &&
          copies.bytes[i] > thresholds::kReadbackBytes);
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const RemedyGain gain = gain_of(input, pin_copies);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  const trace::Copies& copies = input.trace.copies;
  double bytes = 0, ns = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.start_ns[i] < input.metrics.window.start_ns || copies.end_ns[i] > input.metrics.window.end_ns || !is_pageable(copies, i)) continue;
    bytes += static_cast<double>(copies.bytes[i]);
    ns += static_cast<double>(copies.span(i).duration_ns());
    add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} {}, pageable", gigabytes(static_cast<double>(copies.bytes[i])), name(copies.kind[i]))});
  }
  keep_longest(finding.evidence);
  finding.title = fmt::format("Copies of {} {} use pageable host memory", gigabytes(bytes / input.metrics.step_count), per_step(input.metrics));
  finding.why = fmt::format(
      "The driver copies pageable memory through a pinned buffer of its own, so the copies reach {} only, and the host thread waits while it "
      "does. From pinned memory, at {} of the link's rate and without the wait, a step takes {} instead of {}.",
      gigabytes_per_second(ns > 0 ? bytes * 1e9 / ns : 0), percent(thresholds::kAssumedPcieEfficiency), milliseconds(gain.after_ns), milliseconds(gain.now_ns));
  finding.advice = {"PyTorch: DataLoader(pin_memory=True) and tensor.to(device, non_blocking=True). TensorFlow: feed from tf.data, which pins its buffers, "
                    "not through feed_dict.",
                    "CUDA: cudaHostAlloc, or cudaHostRegister for memory that exists already; then cudaMemcpyAsync returns at once."};
  return finding;
}

}  // namespace

extern const Rule pageable_copies;
constinit const Rule pageable_copies{"pageable-copies", "Do copies use pageable host memory?", look};

}  // namespace gputrace::analyzer
