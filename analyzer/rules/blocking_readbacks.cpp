// The host reads small results back again and again, and waits for the GPU each time: the GPU is idle until the host goes on.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy remove_readbacks;

namespace {

struct Readbacks {
  std::size_t count = 0;
  std::int64_t bytes = 0;
  std::vector<Evidence> evidence;
};

Readbacks small_readbacks(const RuleInput& input) {
  Readbacks found;
  const trace::Copies& copies = input.trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.kind[i] != trace::CopyKind::device_to_host) continue;
    if (!copies.has_size(i) || copies.bytes[i] > thresholds::kReadbackBytes) continue;
    if (copies.start_ns[i] < input.metrics.window.start_ns || copies.start_ns[i] >= input.metrics.window.end_ns) continue;
    ++found.count;
    found.bytes += copies.bytes[i];
    add_keeping_longest(found.evidence, {copies.span(i), copies.device[i], fmt::format("{} bytes read back", copies.bytes[i])});
  }
  keep_longest(found.evidence);
  return found;
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  const RemedyGain gain = gain_of(input, remove_readbacks);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  Readbacks readbacks = small_readbacks(input);
  set_found(finding, gain);
  finding.title = fmt::format("The host reads back {:.0f} small results {} and waits for each", gain.per_step(input.metrics), per_step(input.metrics));
  finding.why = fmt::format(
      "{} copies of {:.0f} bytes on average go to the host. For each the host waits until the GPU has done all that was asked of it, and only "
      "then asks for more, so the GPU has nothing to do meanwhile. The link is not the limit: the copies carry {} in all. Without them {}.",
      readbacks.count, static_cast<double>(readbacks.bytes) / static_cast<double>(std::max<std::size_t>(1, readbacks.count)),
      gigabytes(static_cast<double>(readbacks.bytes)), time_change(input.metrics, gain.after_ns, gain.now_ns));
  if (gain.per_step(input.metrics) < thresholds::kReadbacksPerStep)
    finding.why += " So few are the loss and its like, which every program reads: it need not be in each step, nor at once.";
  finding.evidence = std::move(readbacks.evidence);
  return finding;
}

}  // namespace

extern const Rule blocking_readbacks;
constinit const Rule blocking_readbacks{
    "blocking-readbacks", "Does the host read back small results and wait for each?", look,
    {"losses.append(loss.detach()) and torch.stack(losses).cpu() once at the end, or loss.item() only every hundredth step; no if on a tensor's value in the loop.",
     "Fetch results every hundredth step: session.run(train_op) without the loss; in tf.function: metric.update_state(loss) and metric.result() once per epoch.",
     "cudaMemcpyAsync(pinned, value, 4, cudaMemcpyDeviceToHost, stream); cudaEventRecord(read, stream); and look at it a step later: cudaEventQuery(read)."}};

}  // namespace gputrace::analyzer
