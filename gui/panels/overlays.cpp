#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/event_text.h"
#include "gui/idle_gap.h"
#include "gui/panels/timeline_area.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

struct Rect {
  float left, top, right, bottom;
};

std::optional<Rect> rect_of(const TimelineArea& area, const Viewer& viewer, const EventPlace& place) {
  for (const LaneOnScreen& shown : lanes_on_screen(area, viewer)) {
    if (shown.lane != place.lane || place.row >= shown.rows) continue;
    const Lane& lane = viewer.session.timeline.lanes[place.lane];
    const float height = row_height(lane, area.metrics),
                top = shown.top + height * static_cast<float>(place.row);
    const trace::Span span = lane.rows[place.row].span(place.index);
    const float left = std::floor(area.x_of(viewer.view, span.start_ns));
    return Rect{left, top, std::max(left + 2, std::floor(area.x_of(viewer.view, span.end_ns))),
                top + height - 1};
  }
  return std::nullopt;
}

void draw_selection(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  if (!viewer.selected) return;
  const Theme& theme = *viewer.look.theme;
  const auto from = rect_of(area, viewer, viewer.selected->place);
  if (from)
    list.AddRect({std::max(from->left, area.lanes_left - 3) - 1, from->top - 1},
                 {std::min(from->right, area.right + 3), from->bottom + 1}, theme.selection, 0, 0,
                 viewer.look.px(2));
  for (const EventPlace& link : viewer.selected->link_places) {
    const auto to = rect_of(area, viewer, link);
    if (!to) continue;
    list.AddRect({to->left - 1, to->top - 1}, {to->right, to->bottom + 1}, theme.highlight, 0, 0,
                 viewer.look.px(1.5F));
    if (!from) continue;
    const float y0 = (from->top + from->bottom) / 2, y1 = (to->top + to->bottom) / 2;
    const float bend =
        std::clamp(std::abs(to->left - from->left) / 2, viewer.look.px(12), viewer.look.px(60));
    list.AddBezierCubic({from->left, y0}, {from->left - bend, y0}, {to->left - bend, y1}, {to->left, y1},
                        theme.highlight, viewer.look.px(1.5F));
    list.AddCircleFilled({to->left, y1}, viewer.look.px(3), theme.highlight);
  }
}

void draw_measure(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  if (!viewer.measured) return;
  const Look& look = viewer.look;
  const float left = area.x_of(viewer.view, viewer.measured->start_ns),
              right = area.x_of(viewer.view, viewer.measured->end_ns);
  list.AddRectFilled({left, area.steps_bottom}, {right, area.bottom},
                     with_alpha(look.theme->highlight, 0.12F));
  list.AddLine({left, area.ruler_bottom}, {left, area.bottom}, look.theme->highlight);
  list.AddLine({right, area.ruler_bottom}, {right, area.bottom}, look.theme->highlight);
  const std::string text = duration_text(distance_ns(viewer.measured->start_ns, viewer.measured->end_ns));
  const float width = look.strong->CalcTextSizeA(look.strong->FontSize, 1e6F, 0, text.c_str()).x,
              pad = look.px(6);
  const float x = std::clamp((left + right - width) / 2, area.lanes_left + pad, area.right - width - pad);
  const float y = area.bottom - look.px(30);
  list.AddRectFilled({x - pad, y - 2}, {x + width + pad, y + look.px(19)}, look.theme->panel, look.px(3));
  list.AddRect({x - pad, y - 2}, {x + width + pad, y + look.px(19)}, look.theme->highlight, look.px(3));
  list.AddText(look.strong, look.strong->FontSize, {x, y}, look.theme->text, text.c_str());
}

// The evidence of the chosen finding: on its GPU's lanes, or over all where it has none.
void draw_evidence(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  if (!viewer.finding) return;
  const analyzer::Finding& finding = viewer.session.diagnosis.findings[*viewer.finding];
  const auto& lanes = viewer.session.timeline.lanes;
  const std::uint32_t color = finding.severity == analyzer::Severity::critical ? viewer.look.theme->critical
                                                                               : viewer.look.theme->highlight;
  const std::vector<LaneOnScreen> on_screen = lanes_on_screen(area, viewer);
  for (std::size_t e = 0; e < finding.evidence.size(); ++e) {
    const analyzer::Evidence& evidence = finding.evidence[e];
    const float left = std::floor(area.x_of(viewer.view, evidence.span.start_ns));
    const float right = std::max(left + 2, std::floor(area.x_of(viewer.view, evidence.span.end_ns)));
    if (right < area.lanes_left || left > area.right) continue;
    float top = area.bottom, bottom = area.steps_bottom;
    for (const LaneOnScreen& shown : on_screen) {
      if (evidence.device && lanes[shown.lane].device != evidence.device) continue;
      top = std::min(top, shown.top);
      bottom = std::max(bottom, shown.bottom);
    }
    if (bottom <= top) continue;
    list.AddRectFilled({left, top}, {right, bottom}, with_alpha(color, 0.10F));
    list.AddRect({left, top}, {right, bottom}, color, 0, 0, viewer.look.px(e == viewer.evidence ? 2 : 1));
  }
}

}  // namespace

void draw_overlays(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  list.PushClipRect({area.lanes_left, area.ruler_bottom}, {area.right, area.bottom}, true);
  draw_measure(area, viewer, list);
  list.PushClipRect({area.lanes_left, area.steps_bottom}, {area.right, area.bottom}, true);
  draw_evidence(area, viewer, list);
  draw_selection(area, viewer, list);
  list.PopClipRect();
  list.PopClipRect();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsWindowHovered() || ImGui::IsMouseDown(0)) return;
  if (const auto hovered = hovered_at(area, viewer, mouse.x, mouse.y))
    draw_tooltip(area, viewer, *hovered, mouse.x);
}

void draw_tooltip(const TimelineArea& area, const Viewer& viewer, const Hovered& hovered, float x) {
  const Session& session = viewer.session;
  const Lane& lane = session.timeline.lanes[hovered.lane];
  if (x < area.lanes_left) {
    ImGui::SetTooltip("%s\nclick: fold   right click: pin, move", lane.label.c_str());
    return;
  }
  const std::int64_t time_ns = area.time_of(viewer.view, x);
  if (!hovered.event) {
    if (const auto gap = idle_gap_at(session, hovered.lane, time_ns)) {
      const std::string length = duration_text(distance_ns(gap->span.start_ns, gap->span.end_ns));
      ImGui::BeginTooltip();
      ImGui::PushTextWrapPos(viewer.look.px(420));
      ImGui::Text("idle for %s: %s", length.c_str(), gap->cause.c_str());
      ImGui::TextWrapped("%s", gap->why.c_str());
      ImGui::PopTextWrapPos();
      ImGui::EndTooltip();
    }
    return;
  }
  const EventRow& row = lane.rows[hovered.event->row];
  const EventRef event = row.ref(hovered.event->index);
  const std::string label =
      event.valid() ? event_label(session, event) : name(row.category(hovered.event->index));
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(viewer.look.px(480));
  ImGui::TextUnformatted(label.c_str());
  ImGui::PopTextWrapPos();
  ImGui::TextDisabled("%s   %s", duration_text(row.duration_ns(hovered.event->index)).c_str(),
                      name(row.category(hovered.event->index)));
  if (hovered.events_here > 1)
    ImGui::TextDisabled("the longest of %s events under this pixel", count_text(hovered.events_here).c_str());
  ImGui::EndTooltip();
}

}  // namespace gputrace::gui::panels
