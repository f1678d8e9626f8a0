// Ranges of the host as the GPU saw them: from the first to the last activity that a range asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace gputrace::reports {

struct Projection {
  trace::Span span;          // first start to last end of the activities
  std::int64_t gpu_ops = 0;  // kernels, copies and fills
};

// An activity belongs to a range where the API call that asked for it began on the range's thread within the
// range, ends included. O(n log n) in activities and calls to build, O(log n) to ask; 40 bytes per activity.
class GpuProjection {
 public:
  explicit GpuProjection(const trace::Trace& trace);
  std::optional<Projection> of(trace::ThreadIndex thread,
                               trace::Span range) const;  // none: it asked for nothing

 private:
  struct Asked {  // an activity, where its call began
    std::int64_t call_start_ns;
    trace::Span activity;
  };
  struct Thread {
    std::vector<Asked> asked;  // by call_start_ns
    std::vector<trace::Span>
        extent;  // a binary tree over `asked`: the leaves are its second half, a node covers its two
  };
  std::vector<Thread> threads_;  // by ThreadIndex
};

}  // namespace gputrace::reports
