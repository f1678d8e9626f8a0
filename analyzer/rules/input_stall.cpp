// The training loop waits for its next batch.
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
  finding.title = fmt::format("The training loop waits {} {} for its next batch", milliseconds(gain.won_ns()), per_step(input.metrics));
  finding.why = fmt::format(
      "Ranges that wait for a batch lie between the calls that hand out work, and the GPUs have nothing to do meanwhile. With every batch "
      "ready in time, a step takes {} instead of {}.", milliseconds(gain.after_ns), milliseconds(gain.now_ns));
  for (const trace::Span& wait : waits) {
    add_keeping_longest(finding.evidence, {wait, std::nullopt, "waits for a batch"});
  }
  keep_longest(finding.evidence);
  finding.advice = {"Read ahead: PyTorch DataLoader(num_workers=N, prefetch_factor=4, persistent_workers=True); TensorFlow dataset.prefetch(tf.data.AUTOTUNE) and "
                    "map(..., num_parallel_calls=tf.data.AUTOTUNE).",
                    "If the workers themselves cannot keep up: more of them, decode and augment on the GPU (NVIDIA DALI), or store smaller or decoded files."};
  return finding;
}

}  // namespace

extern const Rule input_stall;
constinit const Rule input_stall{"input-stall", "Does the training loop wait for its next batch?", look};

}  // namespace gputrace::analyzer
