#include <fmt/format.h>
#include <imgui.h>

#include "gui/lane_builder.h"
#include "gui/panels/panels.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {

void draw_status_bar(Viewer& viewer) {
  const View& view = viewer.view;
  const trace::Trace& trace = viewer.session.trace;
  const double digits = view.width_ns / 1000;
  std::string text = fmt::format("{} to {}", time_text(view.offset_ns, digits),
                                 time_text(view.offset_ns + view.width_ns, digits));
  if (viewer.session.timeline.cut_events > 0)
    text += fmt::format("   {} events drawn cut: more than {} at once in a lane",
                        count_text(viewer.session.timeline.cut_events), kMaxRowsPerLane);
  if (!trace.diagnostics.empty())
    text += fmt::format("   remarks on the data, in the report: {}", count_text(trace.diagnostics.size()));
  for (const std::string& table : viewer.session.diagnosis.not_captured) text += "   not captured: " + table;
  ImGui::PushFont(viewer.look.small);
  if (!viewer.message.empty()) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(viewer.look.theme->critical), "%s   ", viewer.message.c_str());
    ImGui::SameLine();
  }
  ImGui::TextDisabled("%s", text.c_str());
  if (viewer.interactive) {
    const char* hint = "wheel: zoom   drag: move   Shift+drag: measure   /: search   ?: all keys";
    ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::CalcTextSize(hint).x - viewer.look.px(12));
    ImGui::TextDisabled("%s", hint);
  }
  ImGui::PopFont();
}

}  // namespace gputrace::gui::panels
