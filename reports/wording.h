// The sentences that every format shares, so that text, Markdown and HTML say the same. Plain text: formats escape it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

// One or two sentences: what holds the run back and what removing it would gain, or that nothing was found.
std::string verdict(const analyzer::Diagnosis& diagnosis);

// How much of the time kernels run, from the GPU with the least to that with the most: "49.1 %", "12.0 % to 98.1 %"; "" where
// kernels were not captured.
std::string utilization_range(const analyzer::Diagnosis& diagnosis);

// "a step takes about 868 ms instead of 4.88 s (5.63x)"; "" where the finding predicts no gain.
std::string gain(const analyzer::Diagnosis& diagnosis, const analyzer::Finding& finding);

// "5 steps (from NVTX ranges; the first left out as warm-up), median 4.88 s"
std::string steps_line(const analyzer::Diagnosis& diagnosis);

// "simulated: times are modelled (machine gtx1060x2)"; "" for a real machine.
std::string simulated_line(const analyzer::Diagnosis& diagnosis);

// "complete: no record was dropped", or what is missing.
std::string completeness_line(const analyzer::Diagnosis& diagnosis);

// "idle.no_more_work" is "idle: no more work".
std::string part_label(const std::string& key);

// "GPU 0, at 1.00 s, 812 ms": the device, the time since the trace began, and how long.
std::string evidence_place(const analyzer::Diagnosis& diagnosis, const analyzer::Evidence& evidence);

std::string copy_name(const analyzer::CopyReport& copy);  // "host to device, pageable"
std::string copy_bytes(const analyzer::CopyReport& copy);  // "13.6 GB"; "not captured" where no copy has a size
std::string copy_rate(const analyzer::CopyReport& copy);   // "3.06 of 12.2 GB/s", the second being the link's; "-" without sizes

// What a kernel does and how its name tells it; "" where the name says nothing (class "other").
std::string kernel_meaning(const analyzer::KernelReport& kernel);

const char* name(analyzer::Severity severity);  // "critical"
const char* name(analyzer::Verdict verdict);    // "could_not_look"

// The findings with that verdict, in the diagnosis's order.
std::vector<const analyzer::Finding*> with_verdict(const analyzer::Diagnosis& diagnosis, analyzer::Verdict verdict);

// The time that the parts of all devices are shares of; 0 for a device without parts.
std::int64_t sum_ns(const std::vector<analyzer::TimePart>& parts);

}  // namespace gputrace::reports
