#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/timeline_area.h"

namespace gputrace::gui::panels {
namespace {

void draw_gpu(const TimelineArea& area, const View& whole, const std::vector<RowItem>& items, float top,
              float height, const Look& look, ImDrawList& list) {
  for (const RowItem& item : items) {
    const float left = std::floor(area.x_of(whole, item.start_ns));
    const float right = std::max(left + 1, std::floor(area.x_of(whole, item.end_ns)));
    list.AddRectFilled({left, top + std::floor(height * (1 - item.busy_share))}, {right, top + height},
                       look.color(item.category));
  }
}

}  // namespace

void draw_minimap(const TimelineArea& area, Viewer& viewer, ImDrawList& list) {
  const Look& look = viewer.look;
  const Theme& theme = *look.theme;
  const View whole = View::whole(viewer.session.timeline.span);
  const float top = area.top + 3, bottom = area.minimap_bottom - 3;
  list.AddRectFilled({area.left, area.top}, {area.right, area.minimap_bottom}, theme.panel);
  prepare_minimap(viewer, static_cast<double>(area.width()));
  const auto& gpus = viewer.minimap.gpus;
  list.PushClipRect({area.lanes_left, area.top}, {area.right, area.minimap_bottom}, true);
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const float height = (bottom - top) / static_cast<float>(gpus.size());
    draw_gpu(area, whole, gpus[g], std::round(top + height * static_cast<float>(g)),
             std::max(1.0F, std::floor(height) - 1), look, list);
  }
  for (const Mark& mark : viewer.marks) {
    const float x = std::floor(area.x_of(whole, mark.time_ns)) + 0.5F;
    list.AddLine({x, area.top}, {x, area.minimap_bottom}, theme.good);
  }
  const trace::Span shown = viewer.view.span();
  const float left = std::clamp(area.x_of(whole, shown.start_ns), area.lanes_left, area.right - 3);
  const float right = std::clamp(area.x_of(whole, shown.end_ns), left + 3, area.right);
  const std::uint32_t shade = with_alpha(theme.background, 0.65F);
  list.AddRectFilled({area.lanes_left, area.top}, {left, area.minimap_bottom}, shade);
  list.AddRectFilled({right, area.top}, {area.right, area.minimap_bottom}, shade);
  list.AddRect({left, area.top + 1}, {right, area.minimap_bottom - 1}, theme.selection, 0, 0, 1);
  list.PopClipRect();
  list.AddText(look.small, look.small->FontSize, {area.left + look.px(8), area.top + look.px(6)},
               theme.text_dim, "whole trace");
  list.AddLine({area.left, area.minimap_bottom - 0.5F}, {area.right, area.minimap_bottom - 0.5F},
               theme.border);
}

}  // namespace gputrace::gui::panels
