// Calls that load code: of modules and functions, and first launches that load their kernel (CUDA loads lazily from 11.7 on).
#pragma once

#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct LoadingCalls {
  std::vector<bool> is_loading;        // per row of Trace::api_calls; of those in the window alone
  std::vector<std::int64_t> usual_ns;  // the same: what the call takes where nothing is loaded
  std::int64_t launch_ns = 0;          // half of all launches take at most this
  std::size_t count = 0;
  std::int64_t lost_ns = 0;
};

// A call loads where the driver recorded that it did (an overhead of loading or compiling in it), or loads by its name. A launch loads
// where it is the process's first of that kernel in the trace and takes thresholds::kFirstLaunchFactor times the usual
// launch. O(n log n).
LoadingCalls find_loading_calls(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
