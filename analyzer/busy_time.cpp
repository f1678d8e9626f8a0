#include "analyzer/busy_time.h"

#include <algorithm>
#include <tuple>

namespace gputrace::analyzer {

void BusyTime::add(trace::Span span) {
  if (span.end_ns <= span.start_ns) return;
  if (!spans_.empty() && span.start_ns <= spans_.back().end_ns) {
    spans_.back().end_ns = std::max(spans_.back().end_ns, span.end_ns);
    return;
  }
  if (!spans_.empty()) total_ns_ += spans_.back().duration_ns();
  spans_.push_back(span);
  until_ns_.push_back(total_ns_);
}

std::int64_t BusyTime::before_ns(std::int64_t at_ns) const {
  const auto after = std::partition_point(spans_.begin(), spans_.end(), [&](const trace::Span& span) { return span.start_ns < at_ns; });
  if (after == spans_.begin()) return 0;
  const auto last = static_cast<std::size_t>(after - spans_.begin()) - 1;
  return until_ns_[last] + std::min(at_ns, spans_[last].end_ns) - spans_[last].start_ns;
}

std::int64_t BusyTime::covered_ns(trace::Span span) const {
  return span.end_ns <= span.start_ns ? 0 : before_ns(span.end_ns) - before_ns(span.start_ns);
}

BusyTime busy_together(const std::vector<const BusyTime*>& parts) {
  std::vector<std::pair<std::int64_t, int>> edges;  // an end before a start at one instant: touching is not together
  for (const BusyTime* part : parts) {
    for (const trace::Span& span : part->spans()) {
      edges.emplace_back(span.start_ns, 1);
      edges.emplace_back(span.end_ns, -1);
    }
  }
  std::sort(edges.begin(), edges.end());
  BusyTime together;
  int running = 0;
  std::int64_t since_ns = 0;
  for (const auto& [at_ns, change] : edges) {
    if (running == 2 && change < 0) together.add({since_ns, at_ns});
    running += change;
    if (running == 2 && change > 0) since_ns = at_ns;
  }
  return together;
}

}  // namespace gputrace::analyzer
