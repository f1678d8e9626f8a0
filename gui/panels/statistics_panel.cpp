#include <fmt/format.h>
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
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, look.theme->lane_alternate);
  const float bar_width = width / static_cast<float>(NameStatistics::kBars);
  EventRef clicked;
  for (std::size_t b = 0; b < NameStatistics::kBars; ++b) {
    const auto& bar = s.bars[b];
    const float left = at.x + bar_width * static_cast<float>(b);
    const float share = static_cast<float>(bar.count) / static_cast<float>(s.most_in_bar);
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

// A click shows one GPU alone, and all again.
void draw_devices(Viewer& viewer) {
  const NameStatistics& s = *viewer.statistics;
  if (s.devices.empty() || !ImGui::BeginTable("devices", 3, ImGuiTableFlags_RowBg)) return;
  std::optional<std::optional<trace::DeviceId>> chosen;
  for (const auto& device : s.devices) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string label = fmt::format("GPU {}", device.device.value);
    const bool only = s.only == device.device;
    if (ImGui::Selectable(label.c_str(), only, ImGuiSelectableFlags_SpanAllColumns))
      chosen = only ? std::nullopt : std::optional{device.device};
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(count_text(device.count).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(duration_text(device.total_ns).c_str());
  }
  ImGui::EndTable();
  if (chosen) viewer.statistics = name_statistics(viewer.session, EventRef{s.event}, *chosen);
}

// A bar per step, or per few, as high as the most time in one; a click goes to the longest event in that.
void draw_steps(Viewer& viewer) {
  const NameStatistics& s = *viewer.statistics;
  if (s.most_in_step_ns == 0) return;
  const Look& look = viewer.look;
  ImGui::TextDisabled("Time by step");
  const float height = look.px(60), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, look.theme->lane_alternate);
  ImGui::InvisibleButton("steps", {width, height});
  const float bar_width = width / static_cast<float>(s.step_bars.size());
  for (std::size_t b = 0; b < s.step_bars.size(); ++b) {
    const float left = at.x + bar_width * static_cast<float>(b);
    const float bar = height * static_cast<float>(static_cast<double>(s.steps[s.step_bars[b]].total_ns) /
                                                  static_cast<double>(s.most_in_step_ns));
    list.AddRectFilled({left, at.y + height - bar}, {std::max(left + 1, left + bar_width - 1), at.y + height},
                       look.color(Category::range_b));
  }
  if (!ImGui::IsItemHovered()) return;
  const auto pointed = static_cast<std::size_t>(std::max(0.0F, (ImGui::GetIO().MousePos.x - at.x) / bar_width));
  const auto& step = s.steps[s.step_bars[std::min(pointed, s.step_bars.size() - 1)]];
  ImGui::SetTooltip("step %zu: %s in %s\nclick: go to its longest", step.step, count_text(step.count).c_str(),
                    duration_text(step.total_ns).c_str());
  if (ImGui::IsMouseClicked(0) && step.longest.valid()) {
    select_event(viewer, EventRef{step.longest});
    viewer.side_panel = SidePanel::statistics;
  }
}

}  // namespace

void draw_statistics(Viewer& viewer) {
  if (!viewer.statistics || viewer.statistics->count == 0)
    return ImGui::TextWrapped("Select an event and choose 'All of this name', or pick a name in Search.");
  const NameStatistics& s = *viewer.statistics;  // a click on a GPU fills it anew
  ImGui::PushFont(viewer.look.strong);
  ImGui::TextWrapped("%s%s", s.label.c_str(),
                     s.only ? fmt::format("  on GPU {}", s.only->value).c_str() : "");
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
    ImGui::EndTable();
  }
  draw_steps(viewer);
  draw_devices(viewer);
  if (ImGui::Button("Go to the longest")) select_event(viewer, EventRef{s.longest});
  ImGui::SameLine();
  if (ImGui::Button("Go to the shortest")) select_event(viewer, EventRef{s.shortest});
}

}  // namespace gputrace::gui::panels
