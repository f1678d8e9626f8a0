#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "gui/panels/panels.h"
#include "gui/panels/timeline_area.h"

namespace gputrace::gui::panels {
namespace {

constexpr float kLabels = 210, kMinimap = 44, kBelowTitle = 20, kRuler = 24, kSteps = 18;

void draw_below_title(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  const Look& look = viewer.look;
  const bool by_step = !viewer.session.diagnosis.steps.spans.empty() &&
                       !viewer.leader->session.diagnosis.steps.spans.empty();
  const std::string title = std::filesystem::path{viewer.session.trace.metadata.file}.filename().string() +
                            (viewer.session.trace.metadata.simulated ? "   simulated: times are modelled" : "") +
                            (by_step ? "   aligned by step" : "   aligned by the start of the work");
  list.AddRectFilled({area.left, area.top}, {area.right, area.minimap_bottom}, look.theme->lane_alternate);
  list.AddLine({area.left, area.top + 0.5F}, {area.right, area.top + 0.5F}, look.theme->highlight);
  draw_cut_text(list, look.strong, area.left + look.px(8), area.top + look.px(2), area.right, look.theme->text, title);
}

}  // namespace

TimelineArea place_timeline(const Viewer& viewer) {
  const Look& look = viewer.look;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  TimelineArea area;
  area.left = at.x;
  area.top = at.y;
  area.right = at.x + std::max(size.x, 10.0F);
  area.bottom = at.y + size.y;
  area.lanes_left = area.left + std::min(look.px(kLabels), size.x / 3);
  area.minimap_bottom = area.top + look.px(viewer.leader == nullptr ? kMinimap : kBelowTitle);
  area.ruler_bottom = area.minimap_bottom + look.px(kRuler);
  area.steps_bottom =
      area.ruler_bottom + (viewer.session.diagnosis.steps.spans.empty() ? 0 : look.px(kSteps));
  area.metrics = {.row = look.px(18), .summary = look.px(38), .header = look.px(20), .gap = look.px(2), .graph = look.px(24)};
  area.layout = place_lanes(viewer.session.timeline, viewer.lanes, viewer.lane_filter, area.metrics);
  const float room = area.bottom - area.steps_bottom;
  area.pinned_bottom = area.steps_bottom + std::min(area.layout.pinned_height, room / 2);
  return area;
}

std::vector<LaneOnScreen> lanes_on_screen(const TimelineArea& area, const Viewer& viewer) {
  std::vector<LaneOnScreen> shown;
  const auto add = [&](const std::vector<PlacedLane>& lanes, float origin, float top, float bottom) {
    for (const PlacedLane& lane : lanes) {
      const float from = origin + lane.top;
      if (from + lane.height > top && from < bottom)
        shown.push_back({lane.lane, lane.rows, from, from + lane.height});
    }
  };
  add(area.layout.pinned, area.steps_bottom, area.steps_bottom, area.pinned_bottom);
  add(area.layout.scrolled, area.pinned_bottom - viewer.scroll_px, area.pinned_bottom, area.bottom);
  return shown;
}

std::optional<Hovered> hovered_at(const TimelineArea& area, const Viewer& viewer, float x, float y) {
  if (x < area.left || x >= area.right || y < area.steps_bottom || y >= area.bottom) return std::nullopt;
  for (const LaneOnScreen& shown : lanes_on_screen(area, viewer)) {
    if (y < shown.top || y >= shown.bottom) continue;
    Hovered hovered{.lane = shown.lane, .event = std::nullopt};
    const Lane& lane = viewer.session.timeline.lanes[shown.lane];
    const auto row = static_cast<std::size_t>((y - shown.top) / row_height(lane, area.metrics));
    if (x < area.lanes_left || row >= shown.rows) return hovered;
    const EventRow& events = lane.rows[row];
    const std::size_t first = events.first_ending_after(area.time_of(viewer.view, x - 1));
    const std::size_t last = events.first_starting_from(area.time_of(viewer.view, x + 1));
    if (first >= last) return hovered;
    hovered.event = EventPlace{shown.lane, row, events.longest(first, last - first)};
    hovered.events_here = last - first;
    return hovered;
  }
  return std::nullopt;
}

void draw_timeline(Viewer& viewer) {
  TimelineArea area = place_timeline(viewer);
  const float most = std::max(0.0F, area.layout.scrolled_height - (area.bottom - area.pinned_bottom));
  viewer.scroll_px = std::clamp(viewer.scroll_px, 0.0F, most);
  viewer.timeline_left_px = area.lanes_left;
  viewer.timeline_right_px = area.right;
  ImGui::SetCursorScreenPos({area.left, area.top});
  handle_timeline_input(area, viewer);
  viewer.scroll_px = std::clamp(viewer.scroll_px, 0.0F, most);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_lanes(area, viewer, list);
  viewer.leader == nullptr ? draw_minimap(area, viewer, list) : draw_below_title(area, viewer, list);
  draw_ruler(area, viewer, list);
  draw_marks_over(area, viewer, list);
  draw_overlays(area, viewer, list);
  list.AddLine({area.right - 0.5F, area.top}, {area.right - 0.5F, area.bottom}, viewer.look.theme->border);
}

}  // namespace gputrace::gui::panels
