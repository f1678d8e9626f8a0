// The loop waits for its next batch.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/input_waits.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy hide_input;

namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay(input, finding)) return finding;
  const std::vector<trace::Span> waits = input_waits(input.trace, input.metrics.window);
  if (waits.empty()) {
    finding.verdict = Verdict::could_not_look;
    finding.why = input.trace.has(trace::Table::nvtx) ? "no range says that it waits for a batch (as PyTorch's DataLoader does)" : "no NVTX ranges were captured";
    return finding;
  }
  const RemedyGain gain = gain_of(input, hide_input);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  double waits_ns = 0;
  for (const trace::Span& wait : waits) waits_ns += static_cast<double>(std::min(wait.end_ns, input.metrics.window.end_ns) - std::max(wait.start_ns, input.metrics.window.start_ns));
  finding.title = fmt::format("The loop waits {} {} for its next batch", milliseconds(waits_ns / input.metrics.step_count), per_step(input.metrics));
  finding.why = fmt::format(
      "Ranges that wait for a batch lie between the calls that hand out work, and the GPUs have nothing to do meanwhile. With every batch "
      "ready in time, {}, as long as workers make them on cores that the loop leaves free.", time_change(input.metrics, gain.after_ns, gain.now_ns));
  for (const trace::Span& wait : waits) {
    add_keeping_longest(finding.evidence, {wait, std::nullopt, "waits for a batch"});
  }
  keep_longest(finding.evidence);
  return finding;
}

}  // namespace

extern const Rule input_stall;
constinit const Rule input_stall{"input-stall", "Does the training loop wait for its next batch?", look,
    {"DataLoader(dataset, num_workers=8, prefetch_factor=4, persistent_workers=True, pin_memory=True); if the workers cannot keep up: decode and augment on the GPU (NVIDIA DALI).",
     "dataset.map(f, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE); if that cannot keep up: dataset.cache() or smaller, decoded files.",
     "Read ahead in threads of their own into a ring of pinned buffers: cudaHostAlloc(&buffer[i], size, 0); the loop takes a full one and starts cudaMemcpyAsync."}};

}  // namespace gputrace::analyzer
