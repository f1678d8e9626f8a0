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

void draw_all_of_this_name(Viewer& viewer, EventRef event) {
  if (!event_name_id(viewer.session.trace, event)) return;
  ImGui::SameLine();
  if (!ImGui::Button("All of this name")) return;
  viewer.statistics = name_statistics(viewer.session, event);
  viewer.side_panel = SidePanel::statistics;
  viewer.side_panel_requested = true;
}

// Whether another event is selected now.
bool draw_actions(Viewer& viewer) {
  const Selected& selected = *viewer.selected;
  if (ImGui::Button("Fit  F")) fit_selection(viewer);
  ImGui::SameLine();
  const bool previous = ImGui::Button("Previous");
  ImGui::SameLine();
  const bool next = ImGui::Button("Next");
  if (previous || next) select_neighbour(viewer, previous ? -1 : +1);
  if (previous || next || !selected.event.valid()) return previous || next;
  ImGui::SameLine();
  if (ImGui::Button("Copy name")) ImGui::SetClipboardText(selected.full_name.c_str());
  if (ImGui::Button("Copy all  Ctrl+C")) copy_details(viewer);
  draw_all_of_this_name(viewer, selected.event);
  const bool call = selected.event.table() == trace::Table::api_calls;
  if (selected.links.empty() || !ImGui::Button(call ? "Go to what it launched" : "Go to its launch")) return false;
  select_event(viewer, EventRef{selected.links.front()});
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
  if (draw_actions(viewer) || !selected.event.valid()) return;
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

void draw_area_kernels(Viewer& viewer, const AreaTotals& totals) {
  if (totals.kernels.empty() || !ImGui::BeginTable("kernels", 3, ImGuiTableFlags_RowBg)) return;
  ImGui::TableSetupColumn("kernels", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("calls", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableHeadersRow();
  EventRef clicked;
  for (const KernelTotal& total : totals.kernels) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(&total);
    if (ImGui::Selectable(total.label.c_str(), false, ImGuiSelectableFlags_SpanAllColumns)) clicked = total.longest;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s\nclick: go to the longest", total.label.c_str());
    ImGui::PopID();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(count_text(total.count).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(duration_text(total.ns).c_str());
  }
  ImGui::EndTable();
  if (totals.kernel_names > totals.kernels.size())
    ImGui::TextDisabled("and %zu more names", totals.kernel_names - totals.kernels.size());
  if (clicked.valid()) select_event(viewer, clicked);
}

void draw_area_sums(const Viewer& viewer, const AreaTotals& totals) {
  if (!totals.categories.empty()) ImGui::TextDisabled("By class, of streams");
  if (begin_properties(viewer, "categories")) {
    for (const CategoryTotal& total : totals.categories)
      draw_property(name(total.category), duration_text(total.ns));
    ImGui::EndTable();
  }
  if (!totals.copies.empty()) ImGui::TextDisabled("Copies");
  if (begin_properties(viewer, "copies")) {
    for (const CopyTotal& total : totals.copies)
      draw_property(name(total.category), fmt::format("{} in {} copies, {}", bytes_text(total.bytes),
                                                      count_text(total.count), duration_text(total.ns)));
    ImGui::EndTable();
  }
  if (!totals.idle.empty()) ImGui::TextDisabled("Idle by cause, of all GPUs");
  if (begin_properties(viewer, "idle")) {
    for (const CategoryTotal& total : totals.idle)
      draw_property(name(total.category) + std::string_view{"idle: "}.size(), duration_text(total.ns));
    ImGui::EndTable();
  }
}

void draw_totals(Viewer& viewer, const AreaTotals& totals) {
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
    ImGui::EndTable();
  }
  ImGui::Spacing();
  draw_area_sums(viewer, totals);
  draw_area_kernels(viewer, totals);
  ImGui::Spacing();
}

void draw_legend(const Viewer& viewer) {
  ImGui::TextWrapped("Click an event to see what it is. Shift and drag to measure a stretch of time.");
  ImGui::Spacing();
  ImGui::TextDisabled("Colours");
  const Look& look = viewer.look;
  for (std::size_t c = 0; c < kCategoryCount; ++c) {
    if (!viewer.session.legend[c]) continue;
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

void copy_details(const Viewer& viewer) {
  if (!viewer.selected) return;
  std::string text = viewer.selected->label + '\n';
  for (const Property& property : viewer.selected->properties) text += property.name + ": " + property.value + '\n';
  ImGui::SetClipboardText((text + viewer.selected->full_name + '\n').c_str());
}

void draw_details(Viewer& top) {
  Viewer& viewer = active_viewer(top);
  if (viewer.totals) draw_totals(viewer, *viewer.totals);
  if (viewer.selected) return draw_selected(viewer);
  if (!viewer.totals) draw_legend(viewer);
}

}  // namespace gputrace::gui::panels
