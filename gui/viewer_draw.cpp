#include "gui/viewer_draw.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/comparison.h"
#include "gui/panels/panels.h"

namespace gputrace::gui {
namespace {

constexpr float kTopBar = 36, kStatusBar = 24, kSidePanel = 400;
constexpr float kUpperShare = 0.55F;  // of the height, where a second trace is below

void in_window(const char* id, const ImVec2& position, const ImVec2& size, std::uint32_t background,
               ImVec2 padding, void (*draw)(Viewer&), Viewer& viewer) {
  ImGui::SetNextWindowPos(position);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, background);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  constexpr ImGuiWindowFlags kFixed =
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
      ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::Begin(id, nullptr, kFixed);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  draw(viewer);
  ImGui::End();
}

}  // namespace

void draw_viewer(Viewer& viewer) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const Look& look = viewer.look;
  const float top = look.px(kTopBar), status = look.px(kStatusBar);
  const float side = std::min(look.px(kSidePanel), size.x * 0.33F);
  const float middle = std::max(1.0F, size.y - top - status);
  ImGui::PushFont(look.text);
  in_window("top", {0, 0}, {size.x, top}, look.theme->panel, {look.px(10), look.px(7)}, panels::draw_top_bar,
            viewer);
  const float upper = viewer.comparison ? std::floor(middle * kUpperShare) : middle;
  in_window("timeline", {0, top}, {size.x - side, upper}, look.theme->background, {0, 0}, panels::draw_timeline,
            viewer);
  if (viewer.comparison) {
    Viewer& below = viewer.comparison->below;
    below.view = aligned_view(viewer, below);
    in_window("timeline below", {0, top + upper}, {size.x - side, middle - upper}, look.theme->background, {0, 0},
              panels::draw_timeline, below);
  }
  in_window("side", {size.x - side, top}, {side, middle}, look.theme->panel, {look.px(10), look.px(6)},
            panels::draw_side_panel, viewer);
  in_window("status", {0, top + middle}, {size.x, status}, look.theme->panel, {look.px(10), look.px(4)},
            panels::draw_status_bar, viewer);
  if (viewer.show_help) panels::draw_help(viewer);
  if (viewer.go_to_text) panels::draw_go_to(viewer);
  if (viewer.mark) panels::draw_mark_note(viewer);
  panels::handle_keys(viewer);
  ImGui::PopFont();
}

}  // namespace gputrace::gui
