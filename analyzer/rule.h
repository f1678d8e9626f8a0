// A rule looks for one bottleneck. One file each in analyzer/rules, named for what it finds; CMake lists them.
#pragma once

#include <span>

#include "analyzer/diagnosis.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct Metrics;  // analyzer/metrics.h
class WhatIf;    // analyzer/what_if.h

struct RuleInput {
  const trace::Trace& trace;
  const Metrics& metrics;
  const WhatIf& what_if;
};

// What to do about it, a sentence with its line of code for each: a finding lists these after what it can say of its own trace.
struct Advice {
  const char* pytorch = "";
  const char* tensorflow = "";
  const char* cuda = "";
};

struct Rule {
  const char* name;      // "cpu-placed-ops"
  const char* question;  // what it asks of a trace, for people
  Finding (*look)(const RuleInput& input);
  Advice advice;
};

std::span<const Rule* const> all_rules();

}  // namespace gputrace::analyzer
