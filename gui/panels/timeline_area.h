// Where the parts of the timeline lie on the screen, and what the files that draw it share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gui/viewer.h"

struct ImDrawList;

namespace gputrace::gui::panels {

struct TimelineArea {
  float left = 0, top = 0, right = 0, bottom = 0;  // pixels of the whole panel
  float lanes_left = 0;                            // right of the labels
  float minimap_bottom = 0, ruler_bottom = 0, steps_bottom = 0;
  float pinned_bottom = 0;  // pinned lanes end here, the others scroll below
  LaneLayout layout;
  LaneMetrics metrics;

  float width() const { return right - lanes_left; }
  float x_of(const View& view, std::int64_t time_ns) const {
    return lanes_left + static_cast<float>(view.x_of(time_ns, static_cast<double>(width())));
  }
  std::int64_t time_of(const View& view, float x) const {
    return view.time_of(static_cast<double>(x - lanes_left), static_cast<double>(width()));
  }
};

struct LaneOnScreen {
  std::size_t lane = 0, rows = 0;
  float top = 0, bottom = 0;
};

struct Hovered {
  std::size_t lane = 0;
  std::optional<EventPlace> event;
  std::uint64_t events_here = 0;  // under the pixel
};

TimelineArea place_timeline(const Viewer& viewer);
std::vector<LaneOnScreen> lanes_on_screen(const TimelineArea& area, const Viewer& viewer);
std::optional<Hovered> hovered_at(const TimelineArea& area, const Viewer& viewer, float x, float y);

void draw_minimap(const TimelineArea& area, Viewer& viewer, ImDrawList& list);
void draw_ruler(const TimelineArea& area, const Viewer& viewer, ImDrawList& list);
void draw_marks_over(const TimelineArea& area, const Viewer& viewer, ImDrawList& list);
void draw_grid(const TimelineArea& area, const Viewer& viewer, float top, float bottom, ImDrawList& list);
void draw_lanes(const TimelineArea& area, Viewer& viewer, ImDrawList& list);
void draw_lane_label(const TimelineArea& area, Viewer& viewer, const LaneOnScreen& lane, ImDrawList& list);
void draw_graph_lane(const TimelineArea& area, Viewer& viewer, const LaneOnScreen& lane, ImDrawList& list);
// Why the GPU of the lane did nothing: a strip of colours.
void draw_idle_strip(const TimelineArea& area, const Viewer& viewer, std::size_t lane, float top, float bottom,
                     ImDrawList& list);
void draw_overlays(const TimelineArea& area, const Viewer& viewer, ImDrawList& list);
void draw_tooltip(const TimelineArea& area, const Viewer& viewer, const Hovered& hovered, float x);
void handle_timeline_input(const TimelineArea& area, Viewer& viewer);

// Text from x, cut with "..." before right; nothing where not even a few letters fit.
void draw_cut_text(ImDrawList& list, ImFont* font, float x, float y, float right, std::uint32_t color,
                   std::string_view text);

}  // namespace gputrace::gui::panels
