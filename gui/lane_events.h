// Which rows of a trace each lane of the timeline is made of: by GPU and stream, by direction of copies, by thread and NVTX domain.
#pragma once

#include <map>
#include <utility>

#include "gui/lane_builder.h"

namespace gputrace::gui {

struct GpuEvents {
  std::vector<EventRef> kernels, copies, fills;  // kernels: also CUDA graphs that were recorded as a whole
  std::map<std::pair<std::int32_t, std::int32_t>, LaneBuilder> streams;  // by context and stream
  std::map<Category, LaneBuilder> copy_lanes;  // by direction: the pageable member of a pair

  bool ran_nothing() const { return kernels.empty() && copies.empty() && fills.empty(); }
};

struct ThreadEvents {
  LaneBuilder calls;
  std::map<trace::StringId, LaneBuilder> domains;
};

struct ProcessEvents {
  std::map<trace::DeviceId, GpuEvents> gpus;
  std::map<trace::ThreadIndex, ThreadEvents> threads;
};

using LaneEvents = std::map<trace::ProcessIndex, ProcessEvents>;

// One pass over each table. Rows from EventRef::kMaxRows on are left out.
LaneEvents collect_lane_events(const trace::Trace& trace, const DrawnEvents& drawn);

}  // namespace gputrace::gui
