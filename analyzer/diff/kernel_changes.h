// Kernels of two traces set side by side, by name and by class.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/diff/trace_diff.h"
#include "analyzer/name_rules.h"

namespace gputrace::analyzer {

struct KernelTotal {
  double calls = 0, ns = 0;
  // In the trace, which a user's rule may ask for; of several spellings the first in order.
  std::string as_written;
};
using KernelTotals = std::map<std::string, KernelTotal, std::less<>>;  // by demangled name

// Kernels that begin in the window, each figure divided by `units` (above 0).
KernelTotals kernel_totals(const trace::Trace& trace, trace::Span window, double units);

struct KernelChanges {
  std::vector<KernelChange> by_name, by_class;  // the largest difference of time first
};

// Came and went: no call in the other trace. Slower and faster: its time differs by
// thresholds::kKernelChangeShare of itself and by thresholds::kSameStepShare of `unit_ns`, so that noise on
// small kernels is not news.
KernelChanges compare_kernels(const KernelTotals& before, const KernelTotals& after, double unit_ns,
                              const std::vector<NameRule>& name_rules = {});

}  // namespace gputrace::analyzer
