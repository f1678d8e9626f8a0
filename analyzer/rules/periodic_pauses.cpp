// Some steps have host work that the others do not have: the program, or the machine, does something else from time to time.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy remove_pauses;

namespace {

// Steps that are longer than the usual one by at least a pause.
void add_evidence(Finding& finding, const RuleInput& input) {
  const Steps& steps = input.metrics.steps;
  for (std::size_t s = steps.warm_up; s < steps.spans.size(); ++s) {
    const std::int64_t more_ns = steps.spans[s].duration_ns() - steps.median_ns;
    if (more_ns < static_cast<std::int64_t>(thresholds::kPauseNs)) continue;
    finding.evidence.push_back({steps.spans[s], std::nullopt, fmt::format("step {}: {} longer than the median", s, milliseconds(static_cast<double>(more_ns)))});
  }
  keep_longest(finding.evidence);
}

// What steps take on average more than the usual one.
double mean_above_median_ns(const Steps& steps) {
  double sum_ns = 0;
  for (std::size_t s = steps.warm_up; s < steps.spans.size(); ++s) sum_ns += static_cast<double>(steps.spans[s].duration_ns());
  const auto count = static_cast<double>(steps.spans.size() - steps.warm_up);
  return count > 0 ? std::max(0.0, sum_ns / count - static_cast<double>(steps.median_ns)) : 0;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay(input, finding)) return finding;
  if (input.metrics.steps.spans.empty()) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no steps were recognised, so it is not known what is usual";
    return finding;
  }
  RemedyGain gain = gain_of(input, remove_pauses);
  // Time that comes and goes between calls of steps that are as long as the others is no pause.
  gain.after_ns = std::max(gain.after_ns, gain.now_ns - mean_above_median_ns(input.metrics.steps));
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  add_evidence(finding, input);
  if (finding.evidence.empty()) return Finding{};
  finding.title = fmt::format("In some steps the host does something else: {} of all time", percent(gain.share()));
  finding.why = fmt::format(
      "Laid over each other, the steps make the same calls, but {} times a host thread comes to a call later than it does in the other "
      "steps, by {} in all. The mean step takes {}; without these pauses it takes {}.",
      gain.count, milliseconds(gain.won_ns() * input.metrics.step_count), milliseconds(gain.now_ns), milliseconds(gain.after_ns));
  return finding;
}

}  // namespace

extern const Rule periodic_pauses;
constinit const Rule periodic_pauses{"periodic-pauses", "Does the host do something else in some of the steps?", look,
    {"gc.disable() in the loop and gc.collect() at a chosen step; checkpoints from a thread, of a copy: torch.distributed.checkpoint.async_save(state, ...); evaluate less often.",
     "Checkpoints less often and not in the loop's thread: tf.train.CheckpointOptions(enable_async=True); summaries every hundredth step: tf.summary.record_if(step % 100 == 0).",
     "Write checkpoints and logs from a thread of their own, from a copy: cudaMemcpyAsync(pinned, weights, size, cudaMemcpyDeviceToHost, side), then std::thread(write, pinned)."}};

}  // namespace gputrace::analyzer
