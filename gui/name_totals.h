// Each name of a trace with how many events bear it: what search and statistics go through instead of the events.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/event_ref.h"

namespace gputrace::gui {

struct NameTotal {  // of one name in one table
  trace::StringId name;
  EventRef first;  // the earliest event, which also says the table
  std::uint64_t count = 0, total_ns = 0;
};

// Of kernels, API calls and NVTX ranges, in that order. Ranges still open count to the end of the trace.
std::vector<NameTotal> total_names(const trace::Trace& trace);

}  // namespace gputrace::gui
