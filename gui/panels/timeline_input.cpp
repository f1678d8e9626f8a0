#include <imgui.h>

#include <cmath>

#include "gui/panels/timeline_area.h"

namespace gputrace::gui::panels {
namespace {

constexpr float kZoomPerNotch = 0.8F;
constexpr float kScrollPerNotch = 60;

// The note of a mark is written where its flag is clicked.
bool open_mark(const TimelineArea& area, Viewer& viewer, const ImVec2& at) {
  if (at.y < area.minimap_bottom || at.y >= area.ruler_bottom) return false;
  for (const Mark& mark : viewer.marks) {
    if (std::abs(area.x_of(viewer.view, mark.time_ns) - at.x) > viewer.look.px(6)) continue;
    viewer.mark = mark;
    return true;
  }
  return false;
}

enum class Drag { none, pan, measure, minimap };

float share_of(const TimelineArea& area, float x) { return (x - area.lanes_left) / area.width(); }

void center_on_minimap(const TimelineArea& area, Viewer& viewer, float x) {
  const View whole = View::whole(viewer.session.timeline.span);
  const double at = whole.offset_ns + static_cast<double>(share_of(area, x)) * whole.width_ns;
  steered_view(viewer).move((at - viewer.view.offset_ns) / viewer.view.width_ns - 0.5);
}

void handle_wheel(const TimelineArea& area, Viewer& viewer, const ImGuiIO& io) {
  if (io.MouseWheel != 0) {
    const bool pinched = io.KeyCtrl;  // many systems deliver a pinch as that; it zooms about the nearest edge over the labels
    if (pinched)
      steered_view(viewer).zoom(std::pow(kZoomPerNotch, io.MouseWheel), std::max(0.0F, share_of(area, io.MousePos.x)));
    else if (io.MousePos.x < area.lanes_left || io.KeyShift)
      viewer.scroll_px -= io.MouseWheel * viewer.look.px(kScrollPerNotch);
    else
      steered_view(viewer).zoom(std::pow(kZoomPerNotch, io.MouseWheel), share_of(area, io.MousePos.x));
  }
  if (io.MouseWheelH != 0) steered_view(viewer).move(-0.05 * static_cast<double>(io.MouseWheelH));
}

Drag drag_begun(const TimelineArea& area, const ImGuiIO& io) {
  const ImVec2 from = io.MouseClickedPos[0];
  if (from.x < area.lanes_left) return Drag::none;
  if (from.y < area.minimap_bottom) return Drag::minimap;
  return io.KeyShift || from.y < area.ruler_bottom ? Drag::measure : Drag::pan;
}

void click(const TimelineArea& area, Viewer& viewer, const ImVec2& at) {
  if (open_mark(area, viewer, at)) return;
  const auto hovered = hovered_at(area, viewer, at.x, at.y);
  if (!hovered) return;
  if (at.x < area.lanes_left) {
    viewer.lanes[hovered->lane].collapsed = !viewer.lanes[hovered->lane].collapsed;
  } else if (hovered->event) {
    select_event(viewer, *hovered->event);
  } else {
    clear_selection(viewer.leader == nullptr ? viewer : *viewer.leader);
  }
}

void lane_menu(const TimelineArea& area, Viewer& viewer, const ImGuiIO& io) {
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID("lane of the menu");
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(1) && io.MousePos.x < area.lanes_left)
    if (const auto hovered = hovered_at(area, viewer, io.MousePos.x, io.MousePos.y)) {
      storage.SetInt(key, static_cast<int>(hovered->lane));
      ImGui::OpenPopup("lane menu");
    }
  if (!ImGui::BeginPopup("lane menu")) return;
  LaneState& lane = viewer.lanes[static_cast<std::size_t>(storage.GetInt(key))];
  if (ImGui::MenuItem(lane.pinned ? "Unpin" : "Pin to the top")) lane.pinned = !lane.pinned;
  if (ImGui::MenuItem(lane.collapsed ? "Expand" : "Collapse")) lane.collapsed = !lane.collapsed;
  if (ImGui::MenuItem("Move up")) --lane.moved;
  if (ImGui::MenuItem("Move down")) ++lane.moved;
  ImGui::Separator();
  if (ImGui::MenuItem("Collapse all"))
    for (LaneState& state : viewer.lanes) state.collapsed = true;
  if (ImGui::MenuItem("Expand all"))
    for (LaneState& state : viewer.lanes) state.collapsed = false;
  ImGui::EndPopup();
}

}  // namespace

void handle_timeline_input(const TimelineArea& area, Viewer& viewer) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::InvisibleButton("lanes", {area.right - area.left, area.bottom - area.top});
  const bool hovered = ImGui::IsItemHovered();
  lane_menu(area, viewer, io);
  if (hovered) handle_wheel(area, viewer, io);
  const bool dragged = io.MouseDragMaxDistanceSqr[0] > io.MouseDragThreshold * io.MouseDragThreshold;
  if (ImGui::IsItemActive()) {
    const Drag drag = drag_begun(area, io);
    if (drag == Drag::minimap) center_on_minimap(area, viewer, io.MousePos.x);
    if (drag == Drag::measure && dragged)
      measure(viewer,
              {area.time_of(viewer.view, io.MouseClickedPos[0].x), area.time_of(viewer.view, io.MousePos.x)});
    if (drag == Drag::pan && dragged) {
      steered_view(viewer).move(-static_cast<double>(io.MouseDelta.x / area.width()));
      viewer.scroll_px -= io.MouseDelta.y;
    }
  }
  if (ImGui::IsItemDeactivated() && !dragged) click(area, viewer, io.MouseClickedPos[0]);
  if (ImGui::IsItemDeactivated() && dragged) finish_measure(viewer);
  if (hovered && ImGui::IsMouseDoubleClicked(0) && io.MousePos.x > area.lanes_left) fit_selection(viewer);
}

}  // namespace gputrace::gui::panels
