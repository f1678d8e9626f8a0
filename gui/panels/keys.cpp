#include "gui/keys.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.h"
#include "gui/panels/timeline_area.h"

namespace gputrace::gui::panels {
namespace {

constexpr double kZoomPerSecond = 6, kWidthsPerSecond = 0.9;

struct Key {
  const char* keys;
  const char* does;
};

constexpr Key kHelp[] = {
    {"wheel, Ctrl + wheel, pinch", "zoom about the pointer"},
    {"Shift + wheel, wheel over labels", "scroll the lanes"},
    {"drag", "move in time, scroll the lanes"},
    {"W S, A D", "zoom in and out, move left and right"},
    {"click", "select an event; a click on nothing deselects"},
    {"double click, F", "fit the selected event or the measured stretch"},
    {"0", "show the whole trace"},
    {"Shift + drag, drag in the ruler", "measure, with totals in the details"},
    {"Left, Right", "the event before and after, in the row"},
    {"L", "from a kernel to its launch, or from a call to what it launched"},
    {"Backspace, Shift + Backspace", "back to where the view was, and forward"},
    {"G", "go to a time: 1.25s, 300ms"},
    {"M", "mark the time under the pointer, with a note; click a mark's flag to change it"},
    {"Ctrl + C", "copy what the details say"},
    {"/", "search"},
    {"N, Shift + N", "next match, the one before"},
    {"1 to 9", "go to that finding's evidence"},
    {"click a label; right click", "fold a lane; pin, move"},
    {"Ctrl + O, drop a file", "open another trace"},
    {"Ctrl + Shift + O", "open a second trace below, aligned by step"},
    {"T", "dark or light"},
    {"Esc", "close, deselect"},
    {"?", "this help"},
};

bool pressed(int key) { return ImGui::IsKeyPressed(key, false); }

bool typed(unsigned character) {
  for (const ImWchar c : ImGui::GetIO().InputQueueCharacters)
    if (c == character) return true;
  return false;
}

double pointer_share(const Viewer& viewer) {
  const float x = ImGui::GetIO().MousePos.x, left = viewer.timeline_left_px, right = viewer.timeline_right_px;
  if (!(x >= left && x < right)) return 0.5;
  return static_cast<double>((x - left) / (right - left));
}

void move_view(Viewer& viewer) {
  const ImGuiIO& io = ImGui::GetIO();
  const double seconds = std::min(static_cast<double>(io.DeltaTime), 0.1);
  if (ImGui::IsKeyDown('W')) viewer.view.zoom(std::pow(kZoomPerSecond, -seconds), pointer_share(viewer));
  if (ImGui::IsKeyDown('S')) viewer.view.zoom(std::pow(kZoomPerSecond, seconds), pointer_share(viewer));
  if (ImGui::IsKeyDown('A')) viewer.view.move(-kWidthsPerSecond * seconds);
  if (ImGui::IsKeyDown('D')) viewer.view.move(kWidthsPerSecond * seconds);
}

std::int64_t pointed_time_ns(const Viewer& viewer) {
  const View& view = viewer.view;
  return view.time_of(pointer_share(viewer), 1);
}

void jump(Viewer& viewer) {
  const bool shift = ImGui::GetIO().KeyShift;
  Viewer& active = active_viewer(viewer);
  if (pressed('F')) fit_selection(active);
  if (pressed('0')) show_whole_trace(viewer);
  if (pressed(keys::kLeft)) select_neighbour(active, -1);
  if (pressed(keys::kRight)) select_neighbour(active, +1);
  if (pressed('N')) show_match(viewer, shift ? -1 : +1);
  if (pressed(keys::kBackspace))
    shift ? viewer.history.forward(viewer.view) : viewer.history.back(viewer.view);
  if (pressed('L') && active.selected && !active.selected->links.empty())
    select_event(active, EventRef{active.selected->links.front()});
  for (int digit = 1; digit <= 9; ++digit)
    if (pressed('0' + digit)) show_finding(viewer, static_cast<std::size_t>(digit - 1), 0);
}

}  // namespace

void handle_keys(Viewer& viewer) {
  if (pressed(keys::kEscape)) viewer.show_help ? void(viewer.show_help = false) : clear_selection(viewer);
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl && pressed('C') && !io.WantTextInput) copy_details(active_viewer(viewer));
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper) return;
  move_view(viewer);
  jump(viewer);
  if (typed('?')) viewer.show_help = !viewer.show_help;
  if (pressed('T')) set_theme(viewer.look, !viewer.look.theme->dark);
  if (pressed('G')) viewer.go_to_text = "";
  if (pressed('M')) begin_mark(viewer, pointed_time_ns(viewer));
  if (typed('/')) {
    viewer.side_panel = SidePanel::search;
    viewer.side_panel_requested = viewer.focus_search = true;
  }
}

void draw_help(Viewer& viewer) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  if (ImGui::Begin("Keys and mouse", &viewer.show_help, kFlags) &&
      ImGui::BeginTable("keys", 2, ImGuiTableFlags_RowBg)) {
    for (const Key& key : kHelp) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(key.keys);
      ImGui::TableNextColumn();
      ImGui::TextDisabled("%s", key.does);
    }
    ImGui::EndTable();
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace gputrace::gui::panels
