#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/timeline_area.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

// The round interval (1, 2 or 5 times a power of ten, in ns) that leaves room for a label per tick.
double tick_ns(double ns_per_px, double room_px) {
  const double least = std::max(ns_per_px * room_px, 1.0);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (power * factor >= least) return power * factor;
  return power * 10;
}

// Calls draw(x, time after the start, tick) for each tick of the ruler, all in ns and pixels.
template <class Draw>
void for_each_tick(const TimelineArea& area, const Viewer& viewer, Draw draw) {
  const View& view = viewer.view;
  const double ns_per_px = view.ns_per_px(static_cast<double>(area.width()));
  const double tick = tick_ns(ns_per_px, static_cast<double>(viewer.look.px(110)));
  const double first = std::floor(view.offset_ns / tick);
  for (int i = 0; (first + i) * tick < view.offset_ns + view.width_ns; ++i) {
    const double at = (first + i) * tick;
    draw(std::floor(area.lanes_left + static_cast<float>((at - view.offset_ns) / ns_per_px)) + 0.5F, at,
         tick);
  }
}

void draw_ticks(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  const Look& look = viewer.look;
  const float y = area.minimap_bottom + look.px(4);
  for_each_tick(area, viewer, [&](float x, double at, double tick) {
    list.AddLine({x, area.ruler_bottom - look.px(6)}, {x, area.ruler_bottom}, look.theme->text_dim);
    const std::string text = time_text(at, tick);
    list.AddText(look.figures, look.figures->FontSize, {x + look.px(4), y}, look.theme->text_dim,
                 text.c_str());
  });
}

void draw_steps(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  const auto& steps = viewer.session.diagnosis.steps.spans;
  const Look& look = viewer.look;
  const Theme& theme = *look.theme;
  const trace::Span shown = viewer.view.span();
  const auto ends_before = [](const trace::Span& step, std::int64_t time) { return step.end_ns < time; };
  auto step = std::lower_bound(steps.begin(), steps.end(), shown.start_ns, ends_before);
  while (step != steps.end() && step->start_ns < shown.end_ns) {
    const auto number = static_cast<std::size_t>(step - steps.begin());
    const float left = std::max(area.x_of(viewer.view, step->start_ns), area.lanes_left);
    const float right = std::min(std::max(area.x_of(viewer.view, step->end_ns), left + 1), area.right);
    const bool warm_up = number < viewer.session.diagnosis.steps.warm_up;
    const std::uint32_t color = theme.category[static_cast<std::size_t>(Category::range_b)];
    list.AddRectFilled({left, area.ruler_bottom + 1}, {std::max(right - 1, left + 1), area.steps_bottom - 1},
                       with_alpha(color, warm_up           ? 0.25F
                                         : number % 2 == 0 ? 0.75F
                                                           : 0.5F));
    const std::string text = fmt::format("step {}{}  {}", number, warm_up ? " (warm-up)" : "",
                                         duration_text(distance_ns(step->start_ns, step->end_ns)));
    if (right - left > look.px(30))
      draw_cut_text(list, look.small, left + look.px(4), area.ruler_bottom + look.px(2), right - look.px(4),
                    theme.text, text);
    // Steps narrower than a pixel: on to the first that reaches the next pixel.
    const std::int64_t next_pixel_ns = area.time_of(viewer.view, right);
    step = std::max(step + 1, std::lower_bound(step, steps.end(), next_pixel_ns, ends_before));
  }
  list.AddText(look.small, look.small->FontSize, {area.left + look.px(8), area.ruler_bottom + look.px(2)},
               theme.text_dim, "steps");
}

void draw_marks(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  const Look& look = viewer.look;
  const std::uint32_t color = look.theme->good;
  for (const Mark& mark : viewer.marks) {
    const float x = std::floor(area.x_of(viewer.view, mark.time_ns)) + 0.5F;
    if (x < area.lanes_left - look.px(300) || x > area.right) continue;
    list.AddLine({x, area.minimap_bottom + look.px(3)}, {x, area.bottom}, with_alpha(color, 0.7F));
    list.AddTriangleFilled({x, area.minimap_bottom + look.px(2)}, {x + look.px(9), area.minimap_bottom + look.px(6)},
                           {x, area.minimap_bottom + look.px(10)}, color);
    if (!mark.note.empty())
      draw_cut_text(list, look.small, x + look.px(11), area.minimap_bottom + look.px(1), x + look.px(240), color,
                    mark.note);
  }
}

}  // namespace

void draw_marks_over(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  list.PushClipRect({area.lanes_left, area.minimap_bottom}, {area.right, area.bottom}, true);
  draw_marks(area, viewer, list);
  list.PopClipRect();
}

void draw_grid(const TimelineArea& area, const Viewer& viewer, float top, float bottom, ImDrawList& list) {
  for_each_tick(area, viewer, [&](float x, double, double) {
    list.AddLine({x, top}, {x, bottom}, viewer.look.theme->grid);
  });
}

void draw_ruler(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  const Look& look = viewer.look;
  list.AddRectFilled({area.left, area.minimap_bottom}, {area.right, area.steps_bottom}, look.theme->panel);
  list.PushClipRect({area.lanes_left, area.minimap_bottom}, {area.right, area.bottom}, true);
  draw_ticks(area, viewer, list);
  list.PopClipRect();
  if (!viewer.session.diagnosis.steps.spans.empty()) draw_steps(area, viewer, list);
  list.AddLine({area.left, area.steps_bottom - 0.5F}, {area.right, area.steps_bottom - 0.5F},
               look.theme->border);
  const std::string length = duration_text(static_cast<std::uint64_t>(viewer.view.width_ns)) + " shown";
  list.AddText(look.small, look.small->FontSize, {area.left + look.px(8), area.minimap_bottom + look.px(4)},
               look.theme->text_dim, length.c_str());
}

}  // namespace gputrace::gui::panels
