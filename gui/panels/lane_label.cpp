#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/timeline_area.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

// The share of the shown stretch in which a GPU was busy.
std::string busy_text(const Viewer& viewer, const Lane& lane) {
  trace::Span shown = viewer.view.span();
  shown.start_ns = std::max(shown.start_ns, viewer.session.timeline.span.start_ns);
  shown.end_ns = std::min(shown.end_ns, viewer.session.timeline.span.end_ns);
  if (shown.end_ns <= shown.start_ns) return "";
  BusyByCategory busy{};
  lane.rows.front().add_busy(shown, busy);
  std::uint64_t kernels = 0, all = 0;
  for (std::size_t c = 0; c < kCategoryCount; ++c) {
    all += busy[c];
    if (static_cast<Category>(c) != Category::only_copies) kernels += busy[c];
  }
  const double length = static_cast<double>(distance_ns(shown.start_ns, shown.end_ns)) / 100;
  return fmt::format("computes {:.0f} %, busy {:.0f} %", static_cast<double>(kernels) / length,
                     static_cast<double>(all) / length);
}

bool ran_nothing(const Lane& lane) { return lane.kind == LaneKind::gpu && lane.rows.front().size() == 0; }

void draw_triangle(ImDrawList& list, float x, float y, float size, bool open, std::uint32_t color) {
  if (open)
    list.AddTriangleFilled({x, y}, {x + size, y}, {x + size / 2, y + size * 0.7F}, color);
  else
    list.AddTriangleFilled({x, y - size * 0.1F}, {x + size * 0.7F, y + size * 0.4F}, {x, y + size * 0.9F},
                           color);
}

}  // namespace

void draw_lane_label(const TimelineArea& area, Viewer& viewer, const LaneOnScreen& shown, ImDrawList& list) {
  const Look& look = viewer.look;
  const Theme& theme = *look.theme;
  const Lane& lane = viewer.session.timeline.lanes[shown.lane];
  const bool header =
      lane.kind == LaneKind::gpu || lane.kind == LaneKind::process || lane.kind == LaneKind::thread;
  const float right = area.lanes_left - look.px(6);
  list.AddRectFilled({area.left, shown.top}, {area.lanes_left - 1, shown.bottom},
                     header ? theme.lane_alternate : theme.panel);
  list.AddLine({area.left, shown.bottom - 0.5F}, {area.lanes_left, shown.bottom - 0.5F}, theme.grid);
  const float x = area.left + look.px(8) + look.px(12) * static_cast<float>(lane.depth);
  const float y = std::floor(shown.top + look.px(lane.kind == LaneKind::gpu ? 2 : 1));
  const std::size_t next = shown.lane + 1;
  const auto& lanes = viewer.session.timeline.lanes;
  const bool parent = next < lanes.size() && lanes[next].parent == static_cast<int>(shown.lane);
  if (parent || lane.rows.size() > 1)
    draw_triangle(list, x, y + look.px(5), look.px(8), !viewer.lanes[shown.lane].collapsed, theme.text_dim);
  ImFont* font = header ? look.strong : look.small;
  draw_cut_text(list, font, x + look.px(13), y, right, header ? theme.text : theme.text_dim, lane.label);
  if (lane.kind == LaneKind::gpu && !ran_nothing(lane))
    draw_cut_text(list, look.small, x + look.px(13), y + look.px(17), right, theme.text_dim,
                  busy_text(viewer, lane));
  if (const std::string& note = viewer.lanes[shown.lane].note; !note.empty()) {
    const float width = look.small->CalcTextSizeA(look.small->FontSize, 1e6F, 0, note.c_str()).x;
    draw_cut_text(list, look.small, right - width, y, right + 1, theme.text_dim, note);
  }
}

}  // namespace gputrace::gui::panels
