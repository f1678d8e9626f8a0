// What a remedy wins, in the terms of a finding.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/metrics.h"

namespace gputrace::analyzer {

// By the share of the step that is won back: critical from 20 %, warning from 5 %, else info (thresholds.h).
Severity severity_of(double share_of_step);

// Fills recoverable_ns_per_step, predicted_speedup and severity from the step's time now and after the remedy (both > 0, ns).
void set_gain(Finding& finding, double step_ns, double step_after_ns);

// The step's time now: the median step, or the window where there are no steps.
double step_ns(const Metrics& metrics);

// "the step" or "the traced time"; "per step" or "in the traced time": for sentences.
const char* step_word(const Metrics& metrics);
const char* per_step(const Metrics& metrics);

// Adds one, and lets go of the shortest when there are many: memory stays bounded. keep_longest once at the end.
void add_keeping_longest(std::vector<Evidence>& evidence, Evidence one);
// Keeps the kMaxEvidence longest, the longest first.
void keep_longest(std::vector<Evidence>& evidence);

// "a step takes 19.5 ms instead of 21.0 ms"; "the same work ..." where there are no steps. With as many digits as it takes to tell the two apart.
std::string time_change(const Metrics& metrics, double after_ns, double now_ns);

std::string percent(double share);              // 0.214 -> "21.4 %"
std::string milliseconds(double ns);            // "12.3 ms"; "1.23 s" from a second on; "45 us" below a millisecond
std::string gigabytes(double bytes);            // "25.5 GB"; MB, KB and bytes below
std::string gigabytes_per_second(double bytes_per_s);

}  // namespace gputrace::analyzer
