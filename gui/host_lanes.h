// Builds the lanes of host threads: their API calls with what the recorder took, and their NVTX ranges by domain.
#pragma once

#include "gui/lane_builders.h"
#include "gui/lane_share.h"

namespace gputrace::gui {

LaneBuilders build_host_lanes(const trace::Trace& trace, std::int64_t trace_end_ns, LaneShare share);

}  // namespace gputrace::gui
