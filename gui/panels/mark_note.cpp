#include <imgui.h>
#include <imgui_stdlib.h>

#include "gui/keys.h"
#include "gui/panels/panels.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {

void draw_mark_note(Viewer& viewer) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 3}, ImGuiCond_Always, {0.5F, 0.5F});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove;
  bool open = true, keep = false;
  if (ImGui::Begin("Mark", &open, kFlags)) {
    const double at_ns = offset_ns(viewer.session.timeline.span.start_ns, viewer.mark->time_ns);
    ImGui::TextDisabled("at %s", time_text(at_ns, viewer.view.width_ns / 1000).c_str());
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(viewer.look.px(360));
    keep = ImGui::InputTextWithHint("##note", "a note, or nothing; Enter keeps the mark", &viewer.mark->note,
                                    ImGuiInputTextFlags_EnterReturnsTrue);
  }
  ImGui::End();
  if (keep)
    keep_mark(viewer);
  else if (!open || ImGui::IsKeyPressed(keys::kEscape, false))
    viewer.mark.reset();
}

}  // namespace gputrace::gui::panels
