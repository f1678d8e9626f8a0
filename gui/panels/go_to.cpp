#include <imgui.h>
#include <imgui_stdlib.h>

#include "gui/keys.h"
#include "gui/panels/panels.h"
#include "gui/quantity_text.h"

namespace gputrace::gui::panels {

void draw_go_to(Viewer& viewer) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 3}, ImGuiCond_Always, {0.5F, 0.5F});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove;
  bool open = true;
  if (ImGui::Begin("Go to a time", &open, kFlags)) {
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    const bool enter = ImGui::InputTextWithHint("##time", "after the start: 1.25s, 300ms",
                                                &*viewer.go_to_text, ImGuiInputTextFlags_EnterReturnsTrue);
    double ns = 0;
    const bool is_time = parse_duration(*viewer.go_to_text, ns);
    if (!is_time && !viewer.go_to_text->empty()) ImGui::TextDisabled("not a time yet");
    if (enter && is_time) {
      viewer.history.remember(viewer.view);
      viewer.view.move((ns - viewer.view.offset_ns) / viewer.view.width_ns - 0.5);
      open = false;
    }
  }
  ImGui::End();
  if (!open || ImGui::IsKeyPressed(keys::kEscape, false)) viewer.go_to_text.reset();
}

}  // namespace gputrace::gui::panels
