#include <imgui.h>

#include "gui/panels/panels.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {

void draw_marks(Viewer& viewer) {
  ImGui::TextWrapped("M marks the time under the pointer. Marks are kept in %s",
                     marks_file(viewer.session.trace.metadata.file).filename().c_str());
  ImGui::Spacing();
  if (viewer.marks.empty() || !ImGui::BeginTable("marks", 3, ImGuiTableFlags_RowBg)) return;
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("note", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("remove", ImGuiTableColumnFlags_WidthFixed);
  std::optional<std::size_t> removed;
  for (std::size_t m = 0; m < viewer.marks.size(); ++m) {
    const Mark& mark = viewer.marks[m];
    ImGui::PushID(static_cast<int>(m));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const double at_ns = offset_ns(viewer.session.timeline.span.start_ns, mark.time_ns);
    if (ImGui::Selectable(time_text(at_ns, 1e3).c_str())) {
      viewer.history.remember(viewer.view);
      viewer.view.move((at_ns - viewer.view.offset_ns) / viewer.view.width_ns - 0.5);
    }
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(mark.note.c_str());
    ImGui::PopTextWrapPos();
    ImGui::TableNextColumn();
    if (ImGui::SmallButton("Edit")) viewer.mark = mark;
    ImGui::SameLine();
    if (ImGui::SmallButton("Remove")) removed = m;
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (removed) remove_mark(viewer, *removed);
}

}  // namespace gputrace::gui::panels
