// Why the kernels of a GPU run one after the other, and what more streams would win at the very most.
#pragma once

#include <map>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Of kernels that lie in the window, collectives left out. Each kernel is looked at with the one before it that ended last; a pair
// that did not overlap has the first of these reasons that holds, those that more streams cannot change first:
//   "launched late"            the call that launched the second began after the first had ended
//   "the first fills the GPU"  it needs at least thresholds::kFullGpuFill of the resident blocks (gpu_limits.h)
//   "CUDA graph"               both are nodes of one launch: the graph orders them
//   "same stream"              a stream runs its work in order
//   "dependency"               the second's stream was made to wait for an event (cudaStreamWaitEvent) just before
//   "default stream"           one of the two is on the legacy default stream, which waits for all blocking streams and they for it;
//                              only where the trace shows that the two take turns (as replay/default_stream.h tells it)
//   "copy"                     the second waited on its own stream for a copy or fill that ended after the first kernel
//   "unknown"                  none of these, or the calls were not captured
// O(n log n) in kernels and waits.
std::map<trace::DeviceId, ConcurrencyReport> concurrency_limits(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
