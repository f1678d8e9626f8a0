// What a GPU does over time, from the spans of its kernels, copies and fills: one kernel, several, only copies,
// both, only fills. A CUDA graph recorded as a whole counts as a kernel, as in analyzer/metrics.h.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/event_row.h"

namespace gputrace::gui {

class DeviceActivity {
 public:
  void add_kernel(trace::Span span) { kernels_.push_back(span); }
  void add_copy(trace::Span span) { copies_.push_back(span); }
  void add_fill(trace::Span span) { fills_.push_back(span); }
  bool empty() const { return kernels_.empty() && copies_.empty() && fills_.empty(); }
  EventRow build();  // leaves this empty; times in which nothing runs are the gaps of the row

 private:
  std::vector<trace::Span> kernels_, copies_, fills_;
};

}  // namespace gputrace::gui
