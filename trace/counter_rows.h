// Samples of counters, checked, as rows of a trace.
#pragma once

#include <cmath>

#include "trace/row_problems.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct CounterSampleFacts {
  std::int64_t time_ns = 0;
  StringId name{}, unit{};
  ProcessIndex process{-1};
  DeviceId device{-1};
  double value = 0;
};

// Leaves out, and counts, a sample whose time or value cannot be used.
inline void add_counter_sample(Trace& trace, const CounterSampleFacts& sample, RowProblems& problems) {
  if (sample.time_ns <= -kTimeLimitNs || sample.time_ns >= kTimeLimitNs) return problems.count(RowProblem::time_out_of_range);
  if (!std::isfinite(sample.value)) return problems.count(RowProblem::value_out_of_range);
  Counters& counters = trace.counters;
  counters.start_ns.push_back(sample.time_ns);
  counters.name.push_back(sample.name);
  counters.unit.push_back(sample.unit);
  counters.process.push_back(sample.process);
  counters.device.push_back(sample.device);
  counters.value.push_back(sample.value);
}

}  // namespace gputrace::trace
