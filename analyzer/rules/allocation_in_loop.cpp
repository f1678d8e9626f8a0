// Memory is allocated and freed inside the steps: cudaFree waits for the whole device.
#include <fmt/format.h>

#include "analyzer/call_kinds.h"
#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy remove_allocations;

namespace {

void add_evidence(Finding& finding, const RuleInput& input) {
  const trace::ApiCalls& calls = input.trace.api_calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls.start_ns[i] < input.metrics.window.start_ns || calls.end_ns[i] > input.metrics.window.end_ns) continue;
    const std::string_view name = input.trace.text(calls.name[i]);
    if (call_kind(name) == CallKind::allocate) add_keeping_longest(finding.evidence, {calls.span(i), std::nullopt, std::string(name)});
  }
  keep_longest(finding.evidence);
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay(input, finding)) return finding;
  if (input.metrics.steps.spans.empty()) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no steps were recognised: what is allocated at the start of a program is no loss";
    return finding;
  }
  const RemedyGain gain = gain_of(input, remove_allocations);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  finding.title = fmt::format("Memory is allocated and freed {:.0f} times {}", gain.per_step(input.metrics), per_step(input.metrics));
  finding.why = fmt::format(
      "cudaFree and its like wait until the whole device is idle, and cudaMalloc takes a lock that launches need too. Replayed without "
      "these calls, {}.", time_change(input.metrics, gain.after_ns, gain.now_ns));
  add_evidence(finding, input);
  return finding;
}

}  // namespace

extern const Rule allocation_in_loop;
constinit const Rule allocation_in_loop{"allocation-in-loop", "Is memory allocated and freed inside the steps?", look,
    {"out=buffer arguments and tensors kept across steps (x.zero_() instead of torch.zeros(...)); no torch.cuda.empty_cache() in the loop; torch.cuda.memory_stats()['num_alloc_retries'] shows a limit that is too tight.",
     "One batch size throughout: dataset.batch(n, drop_remainder=True); os.environ['TF_GPU_ALLOCATOR'] = 'cuda_malloc_async' where memory is fragmented.",
     "Allocate once before the loop, or in stream order from a pool: cudaMallocAsync(&p, size, stream) and cudaFreeAsync(p, stream)."}};

}  // namespace gputrace::analyzer
