// Many small copies one after the other, where the start of each costs more than its bytes.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy merge_copies;

namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const RemedyGain gain = gain_of(input, merge_copies);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  const trace::Copies& copies = input.trace.copies;
  double bytes = 0, ns = 0, count = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.start_ns[i] < input.metrics.window.start_ns || copies.end_ns[i] > input.metrics.window.end_ns) continue;
    if (!copies.has_size(i) || copies.bytes[i] >= thresholds::kLinkBoundBytes) continue;
    bytes += static_cast<double>(copies.bytes[i]);
    ns += static_cast<double>(copies.span(i).duration_ns());
    ++count;
    add_keeping_longest(finding.evidence, {copies.span(i), copies.device[i], fmt::format("{} bytes {}", copies.bytes[i], name(copies.kind[i]))});
  }
  keep_longest(finding.evidence);
  finding.title = fmt::format("{:.0f} copies {} are too small for the link: {} on average", count / input.metrics.step_count, per_step(input.metrics),
                              gigabytes(bytes / std::max(1.0, count)));
  finding.why = fmt::format(
      "Copies below {} are bound by what each costs to start, not by the link: these reach {} in all. {:.0f} of them {} follow another one of "
      "the same direction on the same stream. As one copy each, {}.",
      gigabytes(thresholds::kLinkBoundBytes), gigabytes_per_second(ns > 0 ? bytes * 1e9 / ns : 0), gain.per_step(input.metrics), per_step(input.metrics),
      time_change(input.metrics, gain.after_ns, gain.now_ns));
  return finding;
}

}  // namespace

extern const Rule tiny_copies;
constinit const Rule tiny_copies{"tiny-copies", "Are copies too small for the link?", look,
    {"Collate a batch into one tensor, then one batch.to('cuda'); flatten many small ones: torch._utils._flatten_dense_tensors(grads).to('cpu'); stack before .to(device).",
     "Put what belongs together into one tensor: tf.concat([tf.reshape(g, [-1]) for g in gradients], 0) and tf.split(...) on the other side.",
     "Pack into one buffer and copy once; cudaMemcpy2DAsync(...) for strided rows, cudaMemcpyBatchAsync(...) from CUDA 12.8."}};

}  // namespace gputrace::analyzer
