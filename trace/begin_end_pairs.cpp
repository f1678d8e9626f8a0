#include "trace/begin_end_pairs.h"

#include <algorithm>

namespace gputrace::trace {

std::vector<BeginEndPairs::Range> BeginEndPairs::take(RowProblems& problems) {
  std::vector<Range> ranges;
  for (auto& [stack, events] : events_) {
    // Events of one time keep the order of the file: an end before a begin there closes the range before.
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
    std::vector<std::size_t> open;  // into `ranges`
    for (const Event& event : events) {
      if (event.is_begin) {
        open.push_back(ranges.size());
        ranges.push_back({stack, {event.time_ns, kNoEnd}, event.domain, event.text, event.category, event.color_argb});
      } else if (open.empty()) {
        problems.count(RowProblem::no_begin);
      } else {
        ranges[open.back()].span.end_ns = event.time_ns;
        open.pop_back();
      }
    }
    if (!open.empty()) problems.count(RowProblem::no_end, static_cast<std::int64_t>(open.size()));
  }
  events_.clear();
  return ranges;
}

}  // namespace gputrace::trace
