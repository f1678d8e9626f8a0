// The time that something runs: spans put together, and how much of a span they cover.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

class BusyTime {
 public:
  // In the order of start; spans that touch or overlap become one.
  void add(trace::Span span);
  // Of `span`, the time in which something ran. O(log n).
  std::int64_t covered_ns(trace::Span span) const;
  const std::vector<trace::Span>& spans() const { return spans_; }

 private:
  std::int64_t before_ns(std::int64_t at_ns) const;  // covered before an instant

  std::vector<trace::Span> spans_;
  std::vector<std::int64_t> until_ns_;  // covered by the spans before the one of that index
  std::int64_t total_ns_ = 0;           // covered by all but the last span
};

// Where at least two of them are busy, as spans in order. O(n log k) in the spans of all.
BusyTime busy_together(const std::vector<const BusyTime*>& parts);

}  // namespace gputrace::analyzer
