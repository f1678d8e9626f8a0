// Which stretch of time the timeline shows, and how it moves. Offsets are nanoseconds from the start of the
// trace as doubles, so that traces with a wall-clock axis (1.7e18 ns) still zoom to single nanoseconds.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace gputrace::gui {

inline constexpr double kMinViewNs = 100;         // the shortest stretch shown
inline constexpr double kMaxViewOverTrace = 1.2;  // the longest, in lengths of the trace

struct View {
  std::int64_t origin_ns = 0;  // offset 0
  double trace_ns = 1;         // length of the trace
  double offset_ns = 0;        // at the left edge
  double width_ns = 1;         // shown

  static View whole(trace::Span trace);

  double x_of(std::int64_t time_ns, double width_px) const;  // pixels from the left edge
  std::int64_t time_of(double x_px, double width_px) const;
  trace::Span span() const;  // the shown stretch, rounded outwards
  double ns_per_px(double width_px) const { return width_ns / width_px; }

  // All keep the view inside the limits: at least half of it shows trace.
  void show(trace::Span span, double margin = 0.08);  // margin: a share of the span on either side
  void zoom(double factor, double x_share);  // factor < 1 zooms in; keeps the time at x_share (0 to 1)
  void move(double width_share);             // > 0: to later times
  friend bool operator==(const View&, const View&) = default;

 private:
  void clamp();
};

// Where the view has been, as a browser keeps it: one entry per jump, not per wheel notch.
class ViewHistory {
 public:
  void remember(const View& view);  // before a jump; drops what lay forward
  bool back(View& view);            // false: nothing to go to
  bool forward(View& view);

 private:
  std::vector<View> back_, forward_;
};

// The power of two that a column of the picture covers, in ns: the smallest that is at least a pixel wide.
int column_shift(double ns_per_px);

}  // namespace gputrace::gui
