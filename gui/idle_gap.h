// A stretch in which a GPU did nothing, and why, in the words of analyzer/metrics.h.
#pragma once

#include <optional>
#include <string>

#include "gui/session.h"

namespace gputrace::gui {

struct IdleGap {
  trace::Span span;
  EventRef next;      // what ran when the gap ended; not valid at the end of the trace
  std::string cause;  // "host late", short enough to draw into the gap
  std::string why;    // a sentence
};

// The gap of the GPU lane at that time; none where the GPU is busy or the lane is no GPU's.
std::optional<IdleGap> idle_gap_at(const Session& session, std::size_t lane, std::int64_t time_ns);

}  // namespace gputrace::gui
