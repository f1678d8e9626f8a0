#include "analyzer/remedy_gain.h"

#include <cmath>

#include "analyzer/gain.h"
#include "analyzer/what_if.h"

namespace gputrace::analyzer {

bool can_replay(const RuleInput& input, Finding& finding) {
  if (input.what_if.possible()) return true;
  finding.verdict = Verdict::could_not_look;
  if (!input.trace.has(trace::Table::api_calls)) {
    finding.why = "no API calls were captured";
  } else {
    finding.why = "no kernels and no copies were captured";
  }
  return false;
}

bool can_replay_all_work(const RuleInput& input, Finding& finding) {
  if (!can_replay(input, finding)) return false;
  if (input.trace.graph_launches.size() == 0) return true;
  finding.verdict = Verdict::could_not_look;
  finding.why = "CUDA graphs were captured as a whole: what happens inside them is not known";
  return false;
}

RemedyGain gain_of(const RuleInput& input, const Remedy& remedy) {
  const Remedy* const only = &remedy;
  const WhatIf::Trial trial = input.what_if.try_together({&only, 1});
  // Without steps a gain is of the window; what is replayed reaches over its edges.
  const double now_ns = input.metrics.steps.spans.empty() ? step_ns(input.metrics) : input.what_if.mean_step_ns();
  return {trial.count, remedy.name, now_ns, now_ns * trial.share_after};
}

void set_found(Finding& finding, const RemedyGain& gain) {
  finding.verdict = Verdict::found;
  finding.at_stake_ns_per_step = std::llround(gain.won_ns());
  set_gain(finding, gain.now_ns, gain.after_ns);
  finding.step_now_ns = gain.now_ns;
  finding.remedy = gain.remedy;
}

}  // namespace gputrace::analyzer
