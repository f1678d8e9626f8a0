#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <filesystem>

#include "gui/panels/panels.h"
#include "gui/quantity_text.h"

namespace gputrace::gui::panels {
namespace {

void label(const Viewer& viewer, std::uint32_t color, const std::string& text) {
  ImGui::SameLine(0, viewer.look.px(16));
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(color), "%s", text.c_str());
}

}  // namespace

void draw_top_bar(Viewer& viewer) {
  const Look& look = viewer.look;
  const trace::Metadata& metadata = viewer.session.trace.metadata;
  const float filter = look.px(180), buttons = look.px(150),
              left = ImGui::GetWindowWidth() - filter - buttons - look.px(16);
  ImGui::PushClipRect({0, 0}, {left - look.px(8), ImGui::GetWindowHeight()}, true);
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(look.strong);
  ImGui::TextUnformatted(std::filesystem::path{metadata.file}.filename().c_str());
  ImGui::PopFont();
  if (const double share = viewer.session.share_of_trace; share < 1)
    label(viewer, look.theme->highlight,
          fmt::format("a first look: {:.2g} % of the events, until the trace is read", share * 100));
  if (metadata.simulated)
    label(viewer, look.theme->warning,
          "simulated: times are modelled" + (metadata.machine.empty() ? "" : " (" + metadata.machine + ")"));
  if (!metadata.complete) label(viewer, look.theme->critical, "incomplete: " + metadata.incomplete_why);
  if (metadata.dropped_records > 0)
    label(viewer, look.theme->critical,
          count_text(static_cast<std::uint64_t>(metadata.dropped_records)) + " records lost");
  label(
      viewer, look.theme->text_dim,
      fmt::format("{}   {} events   {}", metadata.producer, count_text(viewer.session.timeline.event_count),
                  duration_text(static_cast<std::uint64_t>(viewer.view.trace_ns))));
  ImGui::PopClipRect();
  ImGui::SameLine(left);
  ImGui::SetNextItemWidth(filter);
  ImGui::InputTextWithHint("##lanes", "show lanes with...", &viewer.lane_filter);
  ImGui::SameLine();
  if (ImGui::Button(look.theme->dark ? "Light" : "Dark")) set_theme(viewer.look, !look.theme->dark);
  ImGui::SameLine();
  if (ImGui::Button("Keys  ?")) viewer.show_help = !viewer.show_help;
}

}  // namespace gputrace::gui::panels
