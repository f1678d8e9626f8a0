// The lanes of a trace as a tree in drawing order: process, its GPUs (summary, graphs, streams, copies by
// direction), its host threads (API calls) and their NVTX domains. Pure data; where lanes lie on the screen is
// lane_layout.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/event_row.h"
#include "gui/kernel_names.h"
#include "trace/trace.h"

namespace gputrace::gui {

enum class LaneKind : std::uint8_t { process, gpu, graph, stream, copies, thread, nvtx_domain };
enum class GraphKind : std::uint8_t { utilization, concurrency, link };  // see graph_series.h

struct Lane {
  LaneKind kind{};
  std::string label;
  int depth = 0;    // indent
  int parent = -1;  // index of the lane it lies under
  std::optional<trace::DeviceId> device;
  trace::ProcessIndex process{-1};
  GraphKind graph{};  // of a graph lane
  // Events that overlap lie in rows below each other: nesting for ranges and calls. A GPU's only row says
  // what it does: one kernel, several, copies, both; the rest of it is idle. A graph has no row of its own.
  std::vector<EventRow> rows;
};

struct EventPlace {  // where an event is drawn
  std::size_t lane = 0, row = 0, index = 0;
  friend bool operator==(const EventPlace&, const EventPlace&) = default;
};

struct Timeline {
  trace::Span span;            // of all lanes
  std::vector<Lane> lanes;     // parents before children
  std::size_t event_count = 0;  // drawn, without the stretches of the GPUs' summaries
  std::size_t cut_events = 0;   // drawn shorter than they were because a lane has kMaxRowsPerLane (lane_builder.h)

  std::size_t size_bytes() const;
  // The place of a row of the trace in the first lane that draws it (a copy is drawn twice).
  std::optional<EventPlace> find(EventRef ref, std::int64_t start_ns) const;
};

Timeline build_timeline(const trace::Trace& trace, const KernelNames& names);

}  // namespace gputrace::gui
