#include <imgui.h>

#include <utility>

#include "gui/panels/panels.h"

namespace gputrace::gui::panels {
namespace {

struct Tab {
  SidePanel panel;
  const char* title;
  void (*draw)(Viewer&);
};

constexpr Tab kTabs[] = {{SidePanel::findings, "Findings", draw_findings},
                         {SidePanel::details, "Details", draw_details},
                         {SidePanel::search, "Search", draw_search},
                         {SidePanel::statistics, "Statistics", draw_statistics},
                         {SidePanel::marks, "Marks", draw_marks},
                         {SidePanel::compare, "Compare", draw_compare}};

}  // namespace

void draw_side_panel(Viewer& viewer) {
  if (!ImGui::BeginTabBar("side")) return;
  const SidePanel requested = viewer.side_panel;
  const bool was_requested = std::exchange(viewer.side_panel_requested, false);
  for (const Tab& tab : kTabs) {
    if (tab.panel == SidePanel::compare && !viewer.comparison) continue;
    const bool bring = was_requested && tab.panel == requested;
    if (!ImGui::BeginTabItem(tab.title, nullptr, bring ? ImGuiTabItemFlags_SetSelected : 0)) continue;
    if (!was_requested) viewer.side_panel = tab.panel;
    ImGui::BeginChild("content", {0, 0}, false);
    tab.draw(viewer);
    ImGui::EndChild();
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

}  // namespace gputrace::gui::panels
