// The sentences of a comparison, shared by its formats. Plain text: formats escape it.
#pragma once

#include <string>

#include "analyzer/diff/trace_diff.h"

namespace gputrace::reports {

// One sentence: the step time (or that it has not changed), the GPU's work, communication, and where a change
// comes from.
std::string diff_sentence(const analyzer::TraceDiff& diff);

// How the steps were aligned, how sure the verdict is, and the smallest change that could have been seen.
std::string diff_certainty(const analyzer::TraceDiff& diff);
// What another number of GPUs made of the step: "2 GPUs share the work of 1: a step would take 431 ms by their number alone; it takes 461 ms,
// 93.4 % of what they could give. Lost in each step: 16.1 ms of copies that nothing hides." "" where that cannot be said.
std::string scaling_sentence(const analyzer::TraceDiff& diff);

// "+14.2 %", "-8.7 %"; "new" from nothing.
std::string signed_percent(const analyzer::Change& change);

// "per step and GPU" or "over the whole window, per GPU": what the figures are of.
const char* diff_unit(const analyzer::TraceDiff& diff);

const char* name(analyzer::StepVerdict verdict);  // "no_change"

}  // namespace gputrace::reports
