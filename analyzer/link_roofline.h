// Achieved against possible bandwidth of a GPU's links: to the host by direction, memory and size, and to other GPUs.
#pragma once

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Of the copies that run in the window, each counted whole. Possible: the narrowest recorded link on the way; else a common link
// whose rate the GPU's fastest copy from or to pinned memory comes near (gpu_limits.h); else the fastest copy that way; each row says which.
// O(n log n) in copies and kernels.
LinkRoofline link_roofline(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
