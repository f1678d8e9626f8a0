// What a GPU does over time, from the spans of its kernels and copies: one kernel, several, only copies,
// both.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/event_row.h"

namespace gputrace::gui {

class DeviceActivity {
 public:
  // In order of start, each kind for itself.
  void add_kernel(trace::Span span) { kernels_.push_back(span); }
  void add_copy(trace::Span span) { copies_.push_back(span); }
  EventRow build();  // leaves this empty; times in which nothing runs are the gaps of the row

 private:
  std::vector<trace::Span> kernels_, copies_;
};

}  // namespace gputrace::gui
