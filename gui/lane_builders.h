// The events of a trace by lane: by GPU and stream, by direction of copies, by thread and NVTX domain.
#pragma once

#include <map>
#include <utility>

#include "gui/device_activity.h"
#include "gui/kernel_names.h"
#include "gui/lane_builder.h"

namespace gputrace::gui {

struct GpuLanes {
  DeviceActivity activity;
  std::map<std::pair<std::int32_t, std::int32_t>, LaneBuilder> streams;  // by context and stream
  std::map<Category, LaneBuilder> copies;  // by direction: the pageable member of a pair
};

struct ThreadLanes {
  LaneBuilder calls;
  std::map<trace::StringId, LaneBuilder> domains;
};

struct ProcessLanes {
  std::map<trace::DeviceId, GpuLanes> gpus;
  std::map<trace::ThreadIndex, ThreadLanes> threads;
};

using LaneBuilders = std::map<trace::ProcessIndex, ProcessLanes>;

// Goes through each table once, in order of time, on each core for some of the GPUs and threads. Rows of a table from
// EventRef::kMaxRows on are left out. A range that is still open goes on to trace_end_ns.
LaneBuilders build_lanes(const trace::Trace& trace, const KernelNames& names, std::int64_t trace_end_ns);

}  // namespace gputrace::gui
