// What was copied from where to where, and how fast.
#pragma once

#include <vector>

#include "analyzer/charts/chart_data.h"
#include "analyzer/metrics.h"

namespace gputrace::analyzer {

// Copies that run in the window of the figures, and the links that the recording knows between GPUs, used or not. What kernels
// move by themselves (NCCL, peer access) is no copy and not counted here.
std::vector<PlaceTraffic> place_traffic(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
