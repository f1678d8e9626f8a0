// Ops of PyTorch that compute on the CPU in the midst of a loop that runs on a GPU: long ranges in which nothing is asked of CUDA.
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Rows of Trace::nvtx in the window: "aten::..." ranges of thresholds::kLongCpuOpNs and more without a CUDA call of their thread, on
// threads that hand out work to a GPU; of nested ones the outermost. Not those that lie in a wait for input: loading a batch is the CPU's.
// Empty without API calls. O(n log n) in the calls of such threads.
std::vector<std::size_t> find_launchless_ops(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
