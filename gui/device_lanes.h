// Builds the lanes of GPUs: their streams, their copies by direction, and what the GPU does as a whole.
#pragma once

#include "gui/lane_builders.h"
#include "gui/lane_share.h"

namespace gputrace::gui {

LaneBuilders build_device_lanes(const trace::Trace& trace, const KernelNames& names, LaneShare share);

}  // namespace gputrace::gui
