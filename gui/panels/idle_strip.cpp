#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/idle_causes.h"
#include "gui/panels/timeline_area.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

constexpr std::size_t kMostDrawnEach = 600;  // gaps; more are drawn as columns of the cause with the most time
constexpr int kColumnShift = 3;              // a column is at least 8 pixels wide: its edges cost the most

void draw_piece(const TimelineArea& area, const Viewer& viewer, const IdlePiece& piece, float alpha, float top,
                float bottom, ImDrawList& list) {
  const float left = std::max(std::floor(area.x_of(viewer.view, piece.span.start_ns)), area.lanes_left);
  const float right =
      std::min(std::max(left + 1, std::floor(area.x_of(viewer.view, piece.span.end_ns))), area.right);
  if (right > left)
    list.AddRectFilled({left, top}, {right, bottom}, with_alpha(viewer.look.color(piece.cause), alpha));
}

Category largest(const BusyByCategory& idle, std::uint64_t& total) {
  std::size_t best = static_cast<std::size_t>(Category::idle_host);
  for (std::size_t c = best; c < kCategoryCount; ++c) {
    total += idle[c];
    if (idle[c] > idle[best]) best = c;
  }
  return static_cast<Category>(best);
}

}  // namespace

void draw_idle_strip(const TimelineArea& area, const Viewer& viewer, std::size_t lane, float top, float bottom,
                     ImDrawList& list) {
  if (lane >= viewer.session.idle.size() || viewer.session.idle[lane].empty()) return;
  const IdleRow& idle = viewer.session.idle[lane];
  const EventRow& stretches = stretches_of(viewer.session.timeline.lanes[lane]);
  trace::Span shown = viewer.view.span();
  shown.start_ns = std::max(shown.start_ns, viewer.session.timeline.span.start_ns);
  shown.end_ns = std::min(shown.end_ns, viewer.session.timeline.span.end_ns);
  const auto [first, last] = idle.gaps_in(stretches, shown);
  if (last - first <= kMostDrawnEach) {
    std::vector<IdlePiece> pieces;
    for (std::size_t i = first; i < last; ++i) idle.append_pieces(stretches, i, pieces);
    for (const IdlePiece& piece : pieces) draw_piece(area, viewer, piece, 1, top, bottom, list);
    return;
  }
  const int shift = column_shift(viewer.view.ns_per_px(static_cast<double>(area.width()))) + kColumnShift;
  const std::uint64_t column_ns = std::uint64_t{1} << std::min(shift, 62);
  shown.start_ns = shown.start_ns >> std::min(shift, 62) << std::min(shift, 62);
  idle.for_each_column(stretches, shown, column_ns, [&](trace::Span column, const BusyByCategory& ns) {
    std::uint64_t total = 0;
    const Category cause = largest(ns, total);
    if (total > 0)
      draw_piece(area, viewer, {column, cause},
                 0.25F + 0.75F * static_cast<float>(total) / static_cast<float>(column_ns), top, bottom, list);
  });
}

}  // namespace gputrace::gui::panels
