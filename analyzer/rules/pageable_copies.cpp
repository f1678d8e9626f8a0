// Copies from and to pageable memory: slower than the link, and the host waits for each.
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/pageable_copies.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy pin_copies;

namespace {

// Streams of a thread's GPU that get no work while it waits for its copies: those with kernels, besides the copies' own.
std::size_t streams_beside(const RuleInput& input) {
  const trace::Copies& copies = input.trace.copies;
  std::set<std::pair<trace::DeviceId, trace::StreamId>> with_kernels;
  for (std::size_t i = 0; i < input.trace.kernels.size(); ++i) with_kernels.emplace(input.trace.kernels.device[i], input.trace.kernels.stream[i]);
  for (std::size_t i = 0; i < copies.size(); ++i)
    if (is_pageable_copy(copies, i)) with_kernels.erase({copies.device[i], copies.stream[i]});
  return with_kernels.size();
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const RemedyGain gain = gain_of(input, pin_copies);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  const trace::Copies& copies = input.trace.copies;
  double bytes = 0, ns = 0, to_host_bytes = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.start_ns[i] < input.metrics.window.start_ns || copies.end_ns[i] > input.metrics.window.end_ns || !is_pageable_copy(copies, i)) continue;
    bytes += static_cast<double>(copies.bytes[i]);
    if (copies.kind[i] == trace::CopyKind::device_to_host) to_host_bytes += static_cast<double>(copies.bytes[i]);
    ns += static_cast<double>(copies.span(i).duration_ns());
    add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} {}, pageable", gigabytes(static_cast<double>(copies.bytes[i])), name(copies.kind[i]))});
  }
  keep_longest(finding.evidence);
  finding.title = fmt::format("Copies of {} {} use pageable host memory", gigabytes(bytes / input.metrics.step_count), per_step(input.metrics));
  if (streams_beside(input) > 0) {
    finding.why = "Kernels are on other streams than these copies, and get no work meanwhile all the same: the thread that launches waits in each copy until it is done. ";
    if (2 * to_host_bytes > bytes) finding.why += "A blocking copy to the host after each piece of work is what stops the other streams. ";
  }
  finding.why += fmt::format(
      "The driver copies pageable memory through a pinned buffer of its own, so the copies reach {} only, and the host thread waits while it "
      "does. From pinned memory, at {} of the link's rate and without the wait, a step takes {} instead of {}.",
      gigabytes_per_second(ns > 0 ? bytes * 1e9 / ns : 0), percent(thresholds::kAssumedPcieEfficiency), milliseconds(gain.after_ns), milliseconds(gain.now_ns));
  return finding;
}

}  // namespace

extern const Rule pageable_copies;
constinit const Rule pageable_copies{"pageable-copies", "Do copies use pageable host memory?", look,
    {"DataLoader(dataset, pin_memory=True) and x = x.to('cuda', non_blocking=True); to the host: buffer = torch.empty(shape, pin_memory=True); buffer.copy_(y, non_blocking=True).",
     "Feed from tf.data, which pins its buffers: dataset.prefetch(tf.data.AUTOTUNE), not feed_dict, which copies from pageable NumPy arrays.",
     "cudaHostAlloc(&p, size, cudaHostAllocDefault), or cudaHostRegister(p, size, cudaHostRegisterDefault) for memory that exists already; then cudaMemcpyAsync(...) returns at once."}};

}  // namespace gputrace::analyzer
