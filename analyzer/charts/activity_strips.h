// How busy each GPU is over the whole trace.
#pragma once

#include <vector>

#include "analyzer/charts/chart_data.h"
#include "analyzer/metrics.h"

namespace gputrace::analyzer {

inline constexpr std::size_t kStretches = 400;  // a chart 1,000 units wide shows each, and a page stays small

// One pass over kernels and copies. Empty where neither was captured.
std::vector<ActivityStrip> activity_strips(const trace::Trace& trace, const Metrics& metrics, trace::Span span);

}  // namespace gputrace::analyzer
