// Copies by direction, memory and size.
#pragma once

#include <string>
#include <vector>

#include "analyzer/charts/chart_data.h"
#include "analyzer/host_memory.h"
#include "analyzer/metrics.h"

namespace gputrace::analyzer {

// Those that run in the window of the figures. Sizes are classes of a factor of 16, so that a handful covers a byte to gigabytes.
std::vector<CopySize> copy_sizes(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
