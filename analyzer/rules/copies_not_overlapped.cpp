// The input of each step is copied to the GPU while nothing computes there: the copy of the next step's could run beside this one.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/copy_sizes.h"
#include "analyzer/gain.h"
#include "analyzer/input_feeds.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy prefetch_input;

namespace {

struct Fed {
  double bytes = 0, ns = 0, pageable_bytes = 0;
};

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (!has_copy_sizes(input, finding)) return finding;
  if (!input.trace.has(trace::Table::kernels)) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no kernels were captured";
    return finding;
  }
  if (input.metrics.steps.spans.empty()) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no steps were recognised, so it is not known which copies feed a step";
    return finding;
  }
  const trace::Copies& copies = input.trace.copies;
  Fed fed;
  for (const InputFeed& feed : input_feeds(input.trace, input.metrics)) {
    for (const std::uint32_t row : feed.copies) {
      fed.bytes += static_cast<double>(copies.bytes[row]);
      fed.ns += static_cast<double>(copies.span(row).duration_ns());
      if (copies.source_memory[row] == trace::MemoryKind::pageable) fed.pageable_bytes += static_cast<double>(copies.bytes[row]);
      add_keeping_longest(finding.evidence, {copies.span(row), feed.device, fmt::format("{} of input, before the step's first kernel", gigabytes(static_cast<double>(copies.bytes[row])))});
    }
  }
  keep_longest(finding.evidence);
  const auto nothing = [] { return Finding{}; };
  if (fed.bytes <= 0) return nothing();
  const RemedyGain gain = gain_of(input, prefetch_input);
  if (gain.share() < thresholds::kUnhiddenFeedShare) return nothing();
  set_found(finding, gain);
  finding.title = fmt::format("{} of input {} are copied while nothing computes", gigabytes(fed.bytes / input.metrics.step_count), per_step(input.metrics));
  finding.why = fmt::format(
      "Each step begins with the copy of its input, at {}, and its kernels wait for it. Copied on a second stream while the step before "
      "computes, {}. ", gigabytes_per_second(fed.ns > 0 ? fed.bytes * 1e9 / fed.ns : 0), time_change(input.metrics, gain.after_ns, gain.now_ns));
  if (2 * fed.pageable_bytes > fed.bytes) finding.why += "It needs pinned memory: a copy of pageable memory holds up the host and runs beside nothing that is launched later.";
  return finding;
}

}  // namespace

extern const Rule copies_not_overlapped;
constinit const Rule copies_not_overlapped{
    "copies-not-overlapped", "Is the input copied while nothing computes?", look,
    {"with torch.cuda.stream(side): next_x = batch.pin_memory().to('cuda', non_blocking=True); and torch.cuda.current_stream().wait_stream(side) before it is used.",
     "dataset = dataset.apply(tf.data.experimental.prefetch_to_device('/gpu:0', buffer_size=2)) as the last step of the pipeline, instead of feed_dict.",
     "cudaMemcpyAsync(next, pinned, size, cudaMemcpyHostToDevice, copy_stream); cudaEventRecord(ready, copy_stream); cudaStreamWaitEvent(compute, ready, 0); two buffers in turn."}};

}  // namespace gputrace::analyzer
