#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/graph_series.h"
#include "gui/panels/timeline_area.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

constexpr int kColumnShift = 2;  // a column of a curve is at least 4 pixels wide: half the work, and calmer

Category color_of(GraphKind graph) {
  if (graph == GraphKind::utilization) return Category::one_kernel;
  return graph == GraphKind::concurrency ? Category::several_kernels : Category::to_device_pinned;
}

class CurvePainter {
 public:
  CurvePainter(const TimelineArea& area, const Viewer& viewer, const GraphColumns& columns, float top,
               float bottom, ImDrawList& list)
      : area_{area}, viewer_{viewer}, columns_{columns}, top_{top}, bottom_{bottom}, list_{list} {}

  // Neighbours of the same height are one rectangle.
  void draw(const std::vector<float>& values, float end, bool filled, std::uint32_t color) {
    for (std::size_t c = 0; c < values.size();) {
      const float y = y_of(values[c], end);
      std::size_t next = c + 1;
      while (next < values.size() && y_of(values[next], end) == y) ++next;
      if (values[c] > 0) {
        const float left = x_of(c), right = std::max(left + 1, x_of(next));
        list_.AddRectFilled({left, y}, {right, filled ? bottom_ : y + viewer_.look.px(1.5F)}, color);
      }
      c = next;
    }
  }

 private:
  float y_of(float value, float end) const {
    return std::floor(bottom_ - std::clamp(value / end, 0.0F, 1.0F) * (bottom_ - top_));
  }
  float x_of(std::size_t column) const {
    const double offset = offset_ns(viewer_.view.origin_ns, columns_.first_ns) +
                          static_cast<double>(columns_.column_ns) * static_cast<double>(column);
    const double x = (offset - viewer_.view.offset_ns) / viewer_.view.width_ns * static_cast<double>(area_.width());
    return std::clamp(std::floor(area_.lanes_left + static_cast<float>(x)), area_.lanes_left - 2, area_.right + 2);
  }

  const TimelineArea& area_;
  const Viewer& viewer_;
  const GraphColumns& columns_;
  float top_, bottom_;
  ImDrawList& list_;
};

std::string axis_text(GraphKind graph, float end) {
  if (graph == GraphKind::utilization) return "100 %";
  return graph == GraphKind::link ? bytes_text(static_cast<std::int64_t>(end)) + "/s" : fmt::format("{:g}", end);
}

}  // namespace

void draw_graph_lane(const TimelineArea& area, Viewer& viewer, const LaneOnScreen& shown, ImDrawList& list) {
  const Look& look = viewer.look;
  const GraphKind graph = viewer.session.timeline.lanes[shown.lane].graph;
  const int shift = column_shift(viewer.view.ns_per_px(static_cast<double>(area.width()))) + kColumnShift;
  const GraphColumns columns =
      graph_columns(viewer.session.timeline, shown.lane, viewer.view.span(), std::min(shift, 62));
  const float least = graph == GraphKind::link ? 0 : 1;
  const float end = graph == GraphKind::utilization ? 1 : std::max(least, axis_end(columns.most));
  CurvePainter painter{area, viewer, columns, shown.top + 2, shown.bottom - 1, list};
  painter.draw(columns.values, end, true, with_alpha(look.color(color_of(graph)), 0.8F));
  painter.draw(columns.second, end, false, look.color(Category::to_host_pinned));
  viewer.lanes[shown.lane].note = axis_text(graph, end);
}

}  // namespace gputrace::gui::panels
