// Interval algebra: what runs at each instant of a window.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

// The starts and the ends of intervals, each sorted by itself: enough to count how many run at an instant.
class Edges {
 public:
  // Clipped to the window; what lies outside or has no length is left out.
  void add(trace::Span span, trace::Span window);
  void sort();
  const std::vector<std::int64_t>& starts() const { return starts_; }
  const std::vector<std::int64_t>& ends() const { return ends_; }

 private:
  std::vector<std::int64_t> starts_, ends_;
};

// Calls visit(span, counts) for consecutive spans that cover the window exactly; counts[k] is how many intervals of edges[k]
// run throughout that span. O(n log n) in the number of intervals, for the sorting; the sweep itself is linear.
template <std::size_t kKinds, class Visit>
void sweep(trace::Span window, std::array<Edges, kKinds>& edges, Visit&& visit) {
  for (Edges& kind : edges) kind.sort();
  std::array<std::size_t, kKinds> started{}, ended{};
  std::array<int, kKinds> running{};
  std::int64_t now = window.start_ns;
  while (now < window.end_ns) {
    for (std::size_t k = 0; k < kKinds; ++k) {
      const auto& starts = edges[k].starts();
      const auto& ends = edges[k].ends();
      while (started[k] < starts.size() && starts[started[k]] <= now) ++started[k], ++running[k];
      while (ended[k] < ends.size() && ends[ended[k]] <= now) ++ended[k], --running[k];
    }
    std::int64_t next = window.end_ns;
    for (std::size_t k = 0; k < kKinds; ++k) {
      const auto& starts = edges[k].starts();
      const auto& ends = edges[k].ends();
      if (started[k] < starts.size()) next = std::min(next, starts[started[k]]);
      if (ended[k] < ends.size()) next = std::min(next, ends[ended[k]]);
    }
    visit(trace::Span{now, next}, running);
    now = next;
  }
}

// Total time covered by at least one of the spans.
std::int64_t union_ns(std::vector<trace::Span> spans);

}  // namespace gputrace::analyzer
