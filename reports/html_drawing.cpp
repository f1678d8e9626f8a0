#include "reports/html_drawing.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/plain_text.h"
#include "reports/quantities.h"

namespace gputrace::reports {
namespace {

using kainjow::mustache::data;

constexpr int kQuarters = 4;

double ns(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

Axis::Axis(trace::Span span) : start_(ns(span.start_ns)), span_(std::max(1.0, ns(span.end_ns) - ns(span.start_ns))) {}

double Axis::x(std::int64_t time_ns) const {
  return std::clamp((ns(time_ns) - start_) / span_, 0.0, 1.0) * kDrawingWidth;
}

std::string drawn(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

data rectangle(const Axis& axis, trace::Span span, int top, int height, const std::string& classes, const std::string& text) {
  const double x = axis.x(span.start_ns);
  data item;
  item.set("classes", classes);
  item.set("x", drawn(x));
  item.set("width", drawn(std::max(0.0, axis.x(span.end_ns) - x)));
  item.set("y", std::to_string(top));
  item.set("height", std::to_string(height));
  item.set("text", cut_to_width(one_line(text), kTitleCharacters));
  return item;
}

void set_ticks(data& drawing, double span_ns) {
  data ticks{data::type::list};
  for (int i = 0; i <= kQuarters; ++i) ticks.push_back(data(duration(span_ns * i / kQuarters)));
  drawing.set("ticks", std::move(ticks));
}

}  // namespace gputrace::reports
