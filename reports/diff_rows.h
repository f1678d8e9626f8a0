// The tables of a comparison as rows of text, shared by its formats. Names are one_line() text; formats escape them.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diff/trace_diff.h"

namespace gputrace::reports {

struct TimeRow {
  std::string name;
  bool is_part = false;  // of busy or idle time above it
  std::string before, after, change, percent;
  double before_ns = 0, after_ns = 0;
};

std::vector<TimeRow> time_rows(const analyzer::TraceDiff& diff);   // the step, busy and idle time, and their parts
std::vector<TimeRow> class_rows(const analyzer::TraceDiff& diff);  // kernels by class

struct KernelRow {
  std::string fate, before, after, percent, calls_before, calls_after, label;
};

struct ChangedKernels {
  std::vector<KernelRow> rows;  // the first kKernelsShown of those that changed
  std::size_t changed = 0;
};
ChangedKernels changed_kernels(const analyzer::TraceDiff& diff);

// "simulated: times are modelled" of both or one; "" of neither.
std::string diff_simulated_line(const analyzer::TraceDiff& diff);

}  // namespace gputrace::reports
