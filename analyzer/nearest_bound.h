// What a run is nearest to being held back by, where nothing is wrong with it.
#pragma once

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Of the GPU that runs kernels for the largest share of the window: "compute" or "memory" by what its kernels are (matrix products,
// convolutions and attention are bound by arithmetic where they are large; all others by memory), "link" or "communication" where copies
// with the host, or other GPUs, take a larger share than kernels. The kind is "" where no GPU did anything.
NearestBound nearest_bound(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
