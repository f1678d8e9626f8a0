#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/event_text.h"
#include "gui/idle_gap.h"
#include "gui/panels/timeline_area.h"
#include "gui/quantity_text.h"
#include "gui/time_math.h"

namespace gputrace::gui::panels {
namespace {

constexpr float kMinLabelled = 22;     // pixels of an event that can hold text
constexpr float kIdleStrip = 6;        // at the bottom of a GPU's row
constexpr float kMinRunHeight = 0.3F;  // of a row: what is left of a run that is nearly idle

struct Bar {
  float left = 0, right = 0, top = 0;
  Category category{};
};

// Draws one row of events. Runs of short events become bars as high as the share of time they fill, so that
// they look different from events and show how dense they are; neighbours that look the same are drawn as
// one.
class RowPainter {
 public:
  RowPainter(const TimelineArea& area, const Viewer& viewer, const Lane& lane, float top, ImDrawList& list)
      : area_{area},
        viewer_{viewer},
        look_{viewer.look},
        lane_{lane},
        top_{top},
        bottom_{top + row_height(lane, area.metrics) - 1 -
                (lane.kind == LaneKind::gpu ? viewer.look.px(kIdleStrip) : 0)},
        list_{list} {}

  void draw(const EventRow& row, std::size_t lane_index) {
    static thread_local std::vector<RowItem> items;  // kept between rows: no allocation per frame
    items.clear();
    row.fold(viewer_.view.span(), column_shift(viewer_.view.ns_per_px(static_cast<double>(area_.width()))),
             items);
    for (const RowItem& item : items) draw_item(row, item);
    flush();
    if (lane_.kind == LaneKind::gpu) label_gaps(items, lane_index);
  }

 private:
  float clamped_x(std::int64_t time_ns) const {
    return std::clamp(area_.x_of(viewer_.view, time_ns), area_.lanes_left - 2, area_.right + 2);
  }

  void draw_item(const EventRow& row, const RowItem& item) {
    const float left = std::floor(clamped_x(item.start_ns));
    const float right = std::max(left + 1, std::floor(clamped_x(item.end_ns)));
    if (item.count > 1) return add_run(item, left, right);
    if (right - left < 3) return add_bar({left, right, top_, item.category});
    flush();
    const std::uint32_t color = look_.color(item.category);
    list_.AddRectFilled({left, top_}, {right - 1, bottom_}, color);
    hatch_over(item.category, left, top_, right - 1);
    if (right - left >= look_.px(kMinLabelled) && row.ref(item.first).valid())
      label(row.ref(item.first), item, left, right);
  }

  void label(EventRef event, const RowItem& item, float left, float right) {
    const std::uint32_t color = look_.color(item.category);
    const float pad = look_.px(4), line = look_.small->FontSize;
    const float from = std::max(left, area_.lanes_left) + pad;
    const std::string text = event_label(viewer_.session, event);
    if (hatch(item.category) != Hatch::none) {  // a plate under the text, or the hatch makes it hard to read
      const float width =
          std::min(right - 1, from + look_.small->CalcTextSizeA(line, 1e6F, 0, text.c_str()).x + pad);
      if (width > from) list_.AddRectFilled({from - pad, top_ + 1}, {width, bottom_ - 1}, color);
    }
    draw_cut_text(list_, look_.small, from, std::floor((top_ + bottom_ - line) / 2),
                  std::min(right, area_.right) - pad, text_on(color), text);
  }

  void add_run(const RowItem& item, float left, float right) {
    const float height = bottom_ - top_;
    const float share = kMinRunHeight + (1 - kMinRunHeight) * item.busy_share;
    add_bar({left, right,
             bottom_ - std::round(height * (lane_.kind == LaneKind::gpu ? item.busy_share : share)),
             item.category});
  }

  void add_bar(const Bar& bar) {
    if (pending_.right >= bar.left && pending_.top == bar.top && pending_.category == bar.category &&
        pending_.right > pending_.left) {
      pending_.right = std::max(pending_.right, bar.right);
      return;
    }
    flush();
    pending_ = bar;
  }

  void flush() {
    if (pending_.right > pending_.left) {
      list_.AddRectFilled({pending_.left, pending_.top}, {pending_.right, bottom_},
                          look_.color(pending_.category));
      hatch_over(pending_.category, pending_.left, pending_.top, pending_.right);
    }
    pending_ = {};
  }

  void hatch_over(Category category, float left, float top, float right) {
    constexpr float kMinHatched = 4;
    if (hatch(category) == Hatch::none || right - left < kMinHatched) return;
    draw_hatch(list_, look_, hatch(category), std::max(left, area_.lanes_left), top,
               std::min(right, area_.right), bottom_,
               with_alpha(look_.theme->dark ? 0xFF000000 : 0xFFFFFFFF, look_.theme->dark ? 0.35F : 0.55F));
  }

  void label_gaps(const std::vector<RowItem>& items, std::size_t lane_index) {
    if (lane_.rows.front().size() == 0)
      return centered(area_.lanes_left, area_.right, std::floor((top_ + bottom_ - look_.small->FontSize) / 2),
                      look_.theme->text_dim, "ran nothing");
    std::int64_t idle_from_ns =
        std::max(viewer_.session.timeline.span.start_ns, viewer_.view.span().start_ns);
    for (const RowItem& item : items) {
      label_gap(idle_from_ns, item.start_ns, lane_index);
      idle_from_ns = item.end_ns;
    }
    label_gap(idle_from_ns, std::min(viewer_.session.timeline.span.end_ns, viewer_.view.span().end_ns),
              lane_index);
  }

  void label_gap(std::int64_t from_ns, std::int64_t to_ns, std::size_t lane_index) {
    if (to_ns <= from_ns) return;
    const float left = std::max(clamped_x(from_ns), area_.lanes_left),
                right = std::min(clamped_x(to_ns), area_.right);
    if (right - left < look_.px(64)) return;
    const auto gap = idle_gap_at(viewer_.session, lane_index, from_ns + (to_ns - from_ns) / 2);
    if (!gap) return;
    const std::string duration = "idle " + duration_text(distance_ns(gap->span.start_ns, gap->span.end_ns));
    const float line = look_.small->FontSize, middle = std::floor((top_ + bottom_) / 2);
    centered(left, right, middle - line, look_.theme->text, duration);
    centered(left, right, middle, look_.theme->text_dim, gap->cause);
  }

  void centered(float left, float right, float y, std::uint32_t color, const std::string& text) {
    const float width = look_.small->CalcTextSizeA(look_.small->FontSize, 1e6F, 0, text.c_str()).x,
                pad = look_.px(4);
    if (width + 2 * pad > right - left) return;
    const float x = std::floor((left + right - width) / 2);
    list_.AddRectFilled({x - pad, y}, {x + width + pad, y + look_.small->FontSize},
                        look_.theme->lane_alternate);
    list_.AddText(look_.small, look_.small->FontSize, {x, y}, color, text.c_str());
  }

  const TimelineArea& area_;
  const Viewer& viewer_;
  const Look& look_;
  const Lane& lane_;
  float top_, bottom_;
  ImDrawList& list_;
  Bar pending_;
};

void draw_lane(const TimelineArea& area, Viewer& viewer, const LaneOnScreen& shown, bool alternate,
               ImDrawList& list) {
  const Theme& theme = *viewer.look.theme;
  const Lane& lane = viewer.session.timeline.lanes[shown.lane];
  list.AddRectFilled({area.lanes_left, shown.top}, {area.right, shown.bottom},
                     alternate ? theme.lane_alternate : theme.lane);
  draw_grid(area, viewer, shown.top, shown.bottom, list);
  if (lane.kind == LaneKind::graph) return draw_graph_lane(area, viewer, shown, list);
  const float height = row_height(lane, area.metrics);
  if (lane.kind == LaneKind::gpu) {
    const float from =
        std::max(area.x_of(viewer.view, viewer.session.timeline.span.start_ns), area.lanes_left);
    const float to = std::min(area.x_of(viewer.view, viewer.session.timeline.span.end_ns), area.right);
    const float strip = shown.top + height - 1 - viewer.look.px(kIdleStrip);
    draw_hatch(list, viewer.look, Hatch::dots, from, shown.top, to, strip, with_alpha(theme.idle, 0.55F));
    draw_idle_strip(area, viewer, shown.lane, strip + 1, shown.top + height - 1, list);
  }
  for (std::size_t row = 0; row < shown.rows; ++row)
    RowPainter{area, viewer, lane, shown.top + static_cast<float>(row) * height, list}.draw(lane.rows[row],
                                                                                            shown.lane);
}

void draw_scroll_bar(const TimelineArea& area, const Viewer& viewer, ImDrawList& list) {
  const float room = area.bottom - area.pinned_bottom, all = area.layout.scrolled_height;
  if (all <= room) return;
  const float width = viewer.look.px(6), length = std::max(room * room / all, viewer.look.px(24));
  const float top = area.pinned_bottom + (room - length) * viewer.scroll_px / (all - room);
  list.AddRectFilled({area.right - width - 2, top}, {area.right - 2, top + length},
                     with_alpha(viewer.look.theme->text_dim, 0.7F), width / 2);
}

}  // namespace

void draw_cut_text(ImDrawList& list, ImFont* font, float x, float y, float right, std::uint32_t color,
                   std::string_view text) {
  const float size = font->FontSize, room = right - x;
  const char* end = text.data() + std::min<std::size_t>(text.size(), 400);
  const char* fits = nullptr;
  const ImVec2 whole = font->CalcTextSizeA(size, room, 0, text.data(), end, &fits);
  if (fits == end && whole.x <= room) {
    list.AddText(font, size, {x, y}, color, text.data(), end);
    return;
  }
  const float dots = font->CalcTextSizeA(size, 1e6F, 0, "...").x;
  const ImVec2 cut = font->CalcTextSizeA(size, std::max(0.0F, room - dots), 0, text.data(), end, &fits);
  if (fits - text.data() < 2) return;
  list.AddText(font, size, {x, y}, color, text.data(), fits);
  list.AddText(font, size, {x + cut.x, y}, color, "...");
}

void draw_lanes(const TimelineArea& area, Viewer& viewer, ImDrawList& list) {
  const Theme& theme = *viewer.look.theme;
  list.AddRectFilled({area.left, area.steps_bottom}, {area.right, area.bottom}, theme.background);
  bool alternate = false;
  for (const LaneOnScreen& shown : lanes_on_screen(area, viewer)) {
    const bool pinned = viewer.lanes[shown.lane].pinned;
    const float top = pinned ? area.steps_bottom : area.pinned_bottom,
                bottom = pinned ? area.pinned_bottom : area.bottom;
    list.PushClipRect({area.left, top}, {area.right, bottom});
    list.PushClipRect({area.lanes_left, top}, {area.right, bottom}, true);
    draw_lane(area, viewer, shown, alternate, list);
    list.PopClipRect();
    draw_lane_label(area, viewer, shown, list);
    list.PopClipRect();
    alternate = !alternate;
  }
  if (area.pinned_bottom > area.steps_bottom)
    list.AddLine({area.left, area.pinned_bottom}, {area.right, area.pinned_bottom}, theme.highlight);
  draw_scroll_bar(area, viewer, list);
  list.AddLine({area.lanes_left - 0.5F, area.top}, {area.lanes_left - 0.5F, area.bottom}, theme.border);
}

}  // namespace gputrace::gui::panels
