// What a GPU does over time, from its kernels, copies and fills: one kernel, several, only copies, both, only fills. A CUDA graph
// recorded as a whole counts as a kernel, as in analyzer/metrics.h.
#pragma once

#include "gui/event_row.h"
#include "gui/lane_events.h"

namespace gputrace::gui {

// Times in which nothing runs are the gaps of the row.
EventRow device_activity(const GpuEvents& gpu, const DrawnEvents& drawn);

}  // namespace gputrace::gui
