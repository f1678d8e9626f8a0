#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "gui/event_text.h"
#include "gui/panels/panels.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

void draw_property(const std::string& name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name.c_str());
  ImGui::TableNextColumn();
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(value.c_str());
  ImGui::PopTextWrapPos();
}

bool begin_properties(const Viewer& viewer, const char* id) {
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_RowBg)) return false;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, viewer.look.px(165));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  return true;
}

void draw_selected(Viewer& viewer) {
  const Selected& selected = *viewer.selected;
  ImGui::PushFont(viewer.look.strong);
  ImGui::TextWrapped("%s", selected.label.c_str());
  ImGui::PopFont();
  if (!selected.explanation.empty()) ImGui::TextWrapped("%s", selected.explanation.c_str());
  ImGui::Spacing();
  if (begin_properties(viewer, "properties")) {
    const EventRow& row = viewer.session.timeline.lanes[selected.place.lane].rows[selected.place.row];
    if (selected.properties.empty())
      draw_property("Duration", duration_text(row.duration_ns(selected.place.index)));
    for (const Property& property : selected.properties) draw_property(property.name, property.value);
    ImGui::EndTable();
  }
  if (ImGui::Button("Fit  F")) fit_selection(viewer);
  ImGui::SameLine();
  if (ImGui::Button("Previous")) return select_neighbour(viewer, -1);
  ImGui::SameLine();
  if (ImGui::Button("Next")) return select_neighbour(viewer, +1);
  if (!selected.event.valid()) return;
  ImGui::SameLine();
  if (ImGui::Button("Copy name")) ImGui::SetClipboardText(selected.full_name.c_str());
  if (event_name_id(viewer.session.trace, selected.event)) {
    ImGui::SameLine();
    if (ImGui::Button("All of this name")) {
      viewer.statistics = name_statistics(viewer.session, selected.event);
      viewer.side_panel = SidePanel::statistics;
      viewer.side_panel_requested = true;
    }
  }
  if (!selected.links.empty() &&
      ImGui::Button(selected.event.table() == trace::Table::api_calls ? "Go to what it launched"
                                                                      : "Go to its launch"))
    return select_event(viewer, EventRef{selected.links.front()});
  if (!selected.op_tree.empty()) {
    ImGui::Spacing();
    ImGui::TextDisabled("Expression");
    ImGui::PushFont(viewer.look.figures);
    ImGui::TextUnformatted(selected.op_tree.c_str());
    ImGui::PopFont();
  }
  ImGui::Spacing();
  ImGui::TextDisabled("Name in the trace");
  ImGui::TextWrapped("%.*s", 4000, selected.full_name.c_str());
}

void draw_totals(const Viewer& viewer, const AreaTotals& totals) {
  const std::uint64_t length = distance_ns(totals.span.start_ns, totals.span.end_ns);
  ImGui::PushFont(viewer.look.strong);
  ImGui::Text("Measured: %s", duration_text(length).c_str());
  ImGui::PopFont();
  if (begin_properties(viewer, "devices")) {
    for (const DeviceTotals& device : totals.devices)
      draw_property(fmt::format("GPU {}", device.device.value),
                    fmt::format("busy {} ({:.1f} %), idle {}", duration_text(device.busy_ns),
                                100.0 * static_cast<double>(device.busy_ns) /
                                    static_cast<double>(std::max<std::uint64_t>(length, 1)),
                                duration_text(device.idle_ns)));
    for (const CategoryTotal& total : totals.categories)
      draw_property(name(total.category), duration_text(total.ns));
    ImGui::EndTable();
  }
  ImGui::Spacing();
}

void draw_legend(const Viewer& viewer) {
  ImGui::TextWrapped("Click an event to see what it is. Shift and drag to measure a stretch of time.");
  ImGui::Spacing();
  ImGui::TextDisabled("Colours");
  BusyByCategory busy{};
  for (const Lane& lane : viewer.session.timeline.lanes)
    for (const EventRow& row : lane.rows)
      if (lane.kind != LaneKind::nvtx_domain) row.add_busy(viewer.session.timeline.span, busy);
  const Look& look = viewer.look;
  for (std::size_t c = 0; c < kCategoryCount; ++c) {
    if (busy[c] == 0) continue;
    const auto category = static_cast<Category>(c);
    const ImVec2 at = ImGui::GetCursorScreenPos(), end{at.x + look.px(34), at.y + look.px(15)};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, end, look.color(category));
    draw_hatch(list, look, hatch(category), at.x, at.y, end.x, end.y,
               with_alpha(look.theme->dark ? 0xFF000000 : 0xFFFFFFFF, look.theme->dark ? 0.35F : 0.55F));
    ImGui::Dummy({look.px(34), look.px(15)});
    ImGui::SameLine();
    ImGui::TextUnformatted(name(category));
  }
}

}  // namespace

void draw_details(Viewer& viewer) {
  if (viewer.totals) draw_totals(viewer, *viewer.totals);
  if (viewer.selected) return draw_selected(viewer);
  if (!viewer.totals) draw_legend(viewer);
}

}  // namespace gputrace::gui::panels
