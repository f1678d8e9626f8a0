// What the remedy of a rule would win, by replay, in the terms of a finding.
#pragma once

#include <cstddef>

#include "analyzer/diagnosis.h"
#include "analyzer/remedy.h"
#include "analyzer/rule.h"

namespace gputrace::analyzer {

struct RemedyGain {
  std::size_t count = 0;  // what the remedy changed in the window
  const char* remedy = "";
  double now_ns = 0, after_ns = 0;  // mean step, or the window where there are no steps
  double won_ns() const { return now_ns - after_ns; }
  double share() const { return now_ns > 0 ? won_ns() / now_ns : 0; }
  double per_step(const Metrics& metrics) const { return static_cast<double>(count) / metrics.step_count; }
};

// False, with `finding` saying what is missing, where the trace cannot be replayed.
bool can_replay(const RuleInput& input, Finding& finding);
// The same for rules that look at each kernel and copy: CUDA graphs that were captured as a whole hide theirs.
bool can_replay_all_work(const RuleInput& input, Finding& finding);

RemedyGain gain_of(const RuleInput& input, const Remedy& remedy);

// Of steps as they are recorded; verdict found.
void set_found(Finding& finding, const RemedyGain& gain);

}  // namespace gputrace::analyzer
