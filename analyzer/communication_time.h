// When each GPU communicates with others, when it computes, and what of the one the other hides.
#pragma once

#include <map>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct CommunicationTime {
  std::vector<trace::Span> communication, compute;  // each merged: no two overlap
  std::int64_t communication_ns = 0, compute_ns = 0, exposed_ns = 0;  // exposed: no computing hides it
};

// In the window, of GPUs that communicate: kernels of that class, and copies between GPUs.
std::map<trace::DeviceId, CommunicationTime> communication_times(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
