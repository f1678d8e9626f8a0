// Achieved against possible bandwidth of a GPU's links: to the host by direction, memory and size, and to other GPUs.
#pragma once

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Of the copies that run in the window, each counted whole. What is possible, as host_links.h infers it; each row says where it is from.
// O(n log n) in copies and kernels.
LinkRoofline link_roofline(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
