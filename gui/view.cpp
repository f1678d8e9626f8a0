#include "gui/view.h"

#include <algorithm>
#include <cmath>

#include "gui/time_math.h"

namespace gputrace::gui {
namespace {

constexpr std::size_t kMaxHistory = 200;

}  // namespace

View View::whole(trace::Span trace) {
  View view;
  view.origin_ns = trace.start_ns;
  view.trace_ns = std::max(1.0, static_cast<double>(distance_ns(trace.start_ns, trace.end_ns)));
  view.show(trace, 0.01);
  return view;
}

double View::x_of(std::int64_t time_ns, double width_px) const {
  return (gui::offset_ns(origin_ns, time_ns) - offset_ns) / width_ns * width_px;
}

std::int64_t View::time_of(double x_px, double width_px) const {
  return time_at(origin_ns, offset_ns + x_px / width_px * width_ns);
}

trace::Span View::span() const {
  return {time_at(origin_ns, std::floor(offset_ns)), time_at(origin_ns, std::ceil(offset_ns + width_ns))};
}

void View::show(trace::Span span, double margin) {
  const double start = gui::offset_ns(origin_ns, span.start_ns), end = gui::offset_ns(origin_ns, span.end_ns);
  const double middle = (start + end) / 2;
  width_ns = std::max((end - start) * (1 + 2 * margin), kMinViewNs);
  offset_ns = middle - width_ns / 2;
  clamp();
}

void View::zoom(double factor, double x_share) {
  const double fixed = offset_ns + x_share * width_ns;
  const double longest = std::max(trace_ns * kMaxViewOverTrace, kMinViewNs);
  width_ns = std::clamp(width_ns * factor, kMinViewNs, longest);
  offset_ns = fixed - x_share * width_ns;
  clamp();
}

void View::move(double width_share) {
  offset_ns += width_share * width_ns;
  clamp();
}

void View::clamp() {
  width_ns = std::clamp(width_ns, kMinViewNs, std::max(trace_ns * kMaxViewOverTrace, kMinViewNs));
  offset_ns = std::clamp(offset_ns, -width_ns / 2, std::max(-width_ns / 2, trace_ns - width_ns / 2));
}

void ViewHistory::remember(const View& view) {
  forward_.clear();
  if (!back_.empty() && back_.back() == view) return;
  if (back_.size() == kMaxHistory) back_.erase(back_.begin());
  back_.push_back(view);
}

bool ViewHistory::back(View& view) {
  if (back_.empty()) return false;
  forward_.push_back(view);
  view = back_.back();
  back_.pop_back();
  return true;
}

bool ViewHistory::forward(View& view) {
  if (forward_.empty()) return false;
  back_.push_back(view);
  view = forward_.back();
  forward_.pop_back();
  return true;
}

int column_shift(double ns_per_px) {
  int shift = 0;
  while (shift < 62 && static_cast<double>(std::uint64_t{1} << shift) < ns_per_px) ++shift;
  return shift;
}

}  // namespace gputrace::gui
