// Ranges that a format writes as two events, a begin and an end, which belong together by their place on a thread's stack
// and may stand in the file in any order.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/row_problems.h"
#include "trace/trace.h"

namespace gputrace::trace {

class BeginEndPairs {
 public:
  // `stack` is whatever the events of one stack share: a thread, a track, an id.
  using Stack = std::pair<std::int64_t, std::int64_t>;
  struct Range {
    Stack stack;
    Span span;  // end kNoEnd: never ended
    StringId domain, text, category;
    std::uint32_t color_argb;
  };

  void begin(Stack stack, std::int64_t time_ns, StringId domain, StringId text, StringId category = {}, std::uint32_t color_argb = 0) {
    events_[stack].push_back({time_ns, domain, text, category, color_argb, true});
  }
  void end(Stack stack, std::int64_t time_ns) { events_[stack].push_back({time_ns, {}, {}, {}, 0, false}); }

  // The ranges, by stack; counts those without an end, and ends without a begin. Empty afterwards.
  std::vector<Range> take(RowProblems& problems);

 private:
  struct Event {
    std::int64_t time_ns;
    StringId domain, text, category;
    std::uint32_t color_argb;
    bool is_begin;
  };
  std::map<Stack, std::vector<Event>> events_;
};

}  // namespace gputrace::trace
