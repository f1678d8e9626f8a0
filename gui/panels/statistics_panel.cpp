#include <imgui.h>

#include <algorithm>

#include "gui/panels/panels.h"
#include "gui/quantity_text.h"

namespace gputrace::gui::panels {
namespace {

void draw_histogram(Viewer& viewer) {
  const NameStatistics& s = *viewer.statistics;
  const Look& look = viewer.look;
  const float height = look.px(110), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  std::uint64_t most = 1;
  for (const auto& bar : s.bars) most = std::max(most, bar.count);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, look.theme->lane_alternate);
  const float bar_width = width / static_cast<float>(NameStatistics::kBars);
  EventRef clicked;
  for (std::size_t b = 0; b < NameStatistics::kBars; ++b) {
    const auto& bar = s.bars[b];
    const float left = at.x + bar_width * static_cast<float>(b);
    const float share = static_cast<float>(bar.count) / static_cast<float>(most);
    const float bar_height = bar.count == 0 ? 0 : std::max(2.0F, share * (height - look.px(6)));
    list.AddRectFilled({left + 1, at.y + height - bar_height}, {left + bar_width - 1, at.y + height},
                       look.color(Category::matmul));
    ImGui::SetCursorScreenPos({left, at.y});
    ImGui::PushID(static_cast<int>(b));
    if (ImGui::InvisibleButton("bar", {bar_width, height})) clicked = bar.example;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s from %s\nclick: go to one", count_text(bar.count).c_str(),
                        duration_text(bar.from_ns).c_str());
    ImGui::PopID();
  }
  ImGui::TextDisabled("%s", duration_text(s.min_ns).c_str());
  const std::string longest = duration_text(s.max_ns);
  ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::CalcTextSize(longest.c_str()).x - look.px(12));
  ImGui::TextDisabled("%s", longest.c_str());
  if (clicked.valid()) {
    select_event(viewer, clicked);
    viewer.side_panel = SidePanel::statistics;
  }
}

void row(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(value.c_str());
}

}  // namespace

void draw_statistics(Viewer& viewer) {
  if (!viewer.statistics || viewer.statistics->count == 0)
    return ImGui::TextWrapped("Select an event and choose 'All of this name', or pick a name in Search.");
  const NameStatistics& s = *viewer.statistics;
  ImGui::PushFont(viewer.look.strong);
  ImGui::TextWrapped("%s", s.label.c_str());
  ImGui::PopFont();
  ImGui::Spacing();
  draw_histogram(viewer);
  ImGui::Spacing();
  if (ImGui::BeginTable("figures", 2, ImGuiTableFlags_RowBg)) {
    row("Count", count_text(s.count));
    row("Total", duration_text(s.total_ns));
    row("Shortest", duration_text(s.min_ns));
    row("Median", duration_text(s.median_ns));
    row("95th percentile", duration_text(s.p95_ns));
    row("Longest", duration_text(s.max_ns));
    for (const auto& device : s.devices)
      row(("GPU " + std::to_string(device.device.value)).c_str(),
          count_text(device.count) + " in " + duration_text(device.total_ns));
    ImGui::EndTable();
  }
  if (ImGui::Button("Go to the longest")) select_event(viewer, EventRef{s.longest});
  ImGui::SameLine();
  if (ImGui::Button("Go to the shortest")) select_event(viewer, EventRef{s.shortest});
}

}  // namespace gputrace::gui::panels
