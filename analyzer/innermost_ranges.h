// In which NVTX range a host thread was, at any instant.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

// Of the ranges of a thread that cover an instant, the one that began last. Ranges without an end are taken to last. O(n log n) to
// build, O(log n) to ask, 32 bytes per range.
class InnermostRanges {
 public:
  InnermostRanges(const trace::Trace& trace, trace::Span window);
  trace::StringId at(trace::ThreadIndex thread, std::int64_t ns) const;  // its text; id 0 where there is none

 private:
  struct Change {  // from here on, up to the next
    std::int64_t ns;
    trace::StringId text;
  };
  std::vector<std::vector<Change>> by_thread_;  // by ThreadIndex + 1
};

}  // namespace gputrace::analyzer
