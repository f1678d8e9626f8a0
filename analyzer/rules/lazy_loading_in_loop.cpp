// Kernels are loaded at their first launch, in the middle of the steps.
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/loading_calls.h"
#include "analyzer/remedy_gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

extern const Remedy load_before_steps;

namespace {

Finding look(const RuleInput& input) {
  Finding finding;
  if (!can_replay_all_work(input, finding)) return finding;
  if (input.metrics.steps.spans.empty()) {
    finding.verdict = Verdict::could_not_look;
    finding.why = "no steps were recognised: what is loaded at the start of a program is no loss";
    return finding;
  }
  const LoadingCalls loading = find_loading_calls(input.trace, input.metrics);
  if (loading.count == 0) return finding;
  const RemedyGain gain = gain_of(input, load_before_steps);
  if (gain.share() < thresholds::kInfoShare) return finding;
  set_found(finding, gain);
  finding.title = fmt::format("Code is loaded in {} call{} within the steps", loading.count, loading.count == 1 ? "" : "s");
  finding.why = fmt::format(
      "The driver loads a kernel when it is first launched, once for each, and such a launch takes {} on average where half of all launches take {} or less; other threads' "
      "launches wait for it. Loaded before the steps, {} on average over those traced.",
      milliseconds(static_cast<double>(loading.lost_ns) / static_cast<double>(loading.count)), milliseconds(static_cast<double>(loading.launch_ns)),
      time_change(input.metrics, gain.after_ns, gain.now_ns));
  const trace::ApiCalls& calls = input.trace.api_calls;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (loading.is_loading[i]) add_keeping_longest(finding.evidence, {calls.span(i), std::nullopt, fmt::format("{} loads code", input.trace.text(calls.name[i]))});
  keep_longest(finding.evidence);
  return finding;
}

}  // namespace

extern const Rule lazy_loading_in_loop;
constinit const Rule lazy_loading_in_loop{
    "lazy-loading-in-loop", "Is code loaded in the middle of the steps?", look,
    {"Run a step of each kind before the loop that counts: model(example); loss.backward(); or set os.environ['CUDA_MODULE_LOADING'] = 'EAGER' before import torch.",
     "Run a step of each kind first: train_step(example); or set os.environ['CUDA_MODULE_LOADING'] = 'EAGER' before import tensorflow.",
     "setenv(\"CUDA_MODULE_LOADING\", \"EAGER\", 1) before the first CUDA call, or cudaFuncGetAttributes(&attributes, kernel) for each kernel before the loop."}};

}  // namespace gputrace::analyzer
