// The host waits for the GPU in the middle of a step, and hands out nothing meanwhile.
#include <fmt/format.h>

#include "analyzer/call_kinds.h"
#include "analyzer/gain.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy remove_syncs;

namespace {

void add_evidence(Finding& finding, const RuleInput& input) {
  const trace::ApiCalls& calls = input.trace.api_calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls.start_ns[i] < input.metrics.window.start_ns || calls.end_ns[i] > input.metrics.window.end_ns) continue;
    if (call_kind(input.trace.text(calls.name[i])) != CallKind::synchronize) continue;
    add_keeping_longest(finding.evidence, {calls.span(i), std::nullopt, fmt::format("{} waits", input.trace.text(calls.name[i]))});
  }
  keep_longest(finding.evidence);
}

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay(input, finding)) return finding;
  const RemedyGain gain = gain_of(input, remove_syncs);
  if (gain.count == 0 || gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  finding.title = fmt::format("The host waits for the GPU {:.0f} times {} before it hands out more work", gain.per_step(input.metrics), per_step(input.metrics));
  finding.why = fmt::format(
      "{:.0f} calls {} block a host thread until the GPU has done what it was given, and the same thread hands out more work afterwards. "
      "Meanwhile the GPU's queue is empty. Replayed without these waits, {}.",
      gain.per_step(input.metrics), per_step(input.metrics), time_change(input.metrics, gain.after_ns, gain.now_ns));
  add_evidence(finding, input);
  return finding;
}

}  // namespace

extern const Rule sync_stalls;
constinit const Rule sync_stalls{"sync-stalls", "Does the host wait for the GPU in the middle of a step?", look,
    {"No torch.cuda.synchronize(), .item(), .cpu() or print(tensor) in the loop; unset CUDA_LAUNCH_BLOCKING; time with torch.cuda.Event(enable_timing=True).",
     "No tensor.numpy() and no Python if on a tensor in the loop; many steps per call: model.compile(steps_per_execution=50); unset CUDA_LAUNCH_BLOCKING.",
     "cudaStreamWaitEvent(stream, event, 0) orders streams without the host; cudaDeviceSynchronize() once at the end, and no check that waits after each launch."}};

}  // namespace gputrace::analyzer
