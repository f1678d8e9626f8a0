// What the drawings of the HTML report share: an axis of time 1,000 units wide, and elements as data for the template.
#pragma once

#include <cstdint>
#include <string>

#include <kainjow/mustache.hpp>

#include "trace/trace.h"

namespace gputrace::reports {

inline constexpr double kDrawingWidth = 1000;
inline constexpr int kTitleCharacters = 200;

// The drawing's x for times of the trace; what lies outside is cut off at the edge.
class Axis {
 public:
  explicit Axis(trace::Span span);
  double x(std::int64_t time_ns) const;  // 0 to kDrawingWidth
  double span_ns() const { return span_; }

 private:
  double start_, span_;
};

std::string drawn(double value);  // at most 3 digits after the point: a millionth of the drawing's width

// The key of a title in the template is "text", so that it is escaped there.
kainjow::mustache::data rectangle(const Axis& axis, trace::Span span, int top, int height, const std::string& classes,
                                  const std::string& text);

// Sets "ticks": labels at the start, the quarters and the end, as times since the drawing's start.
void set_ticks(kainjow::mustache::data& drawing, double span_ns);

}  // namespace gputrace::reports
