// An exact partition of each GPU's window, and of each of its steps, by what ran: computation by class, copies by direction and memory, each with what it hid.
#pragma once

#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct WorkParts {
  std::vector<TimePart> window;              // by time, the longest first
  std::vector<std::vector<TimePart>> steps;  // per slot of metrics.step_slots(), likewise
};

// Per device of the metrics, in their order; the parts sum to the window, and to each slot's steps. Every instant is in one part,
// called by all that ran then: "matmul", "matmul + communication", "copy host to device, pinned" (exposed), "matmul + copy host to
// device, pinned" (hidden), "several classes", "several kinds of copy", "fill", "idle". A CUDA graph that was recorded as a whole is
// the class "CUDA graph". O(n log n) in the events of the window.
std::vector<WorkParts> work_parts(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
