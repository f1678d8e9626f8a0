#include "analyzer/charts/lane_builder.h"

#include <algorithm>

namespace gputrace::analyzer {

void LaneBuilder::join(std::vector<Bundle>& bundles, const Bundle& next, std::int64_t below_ns) {
  if (!bundles.empty()) {
    Bundle& last = bundles.back();
    const bool both_short = last.longest_ns < below_ns && next.longest_ns < below_ns;
    if (both_short && next.span.start_ns - last.span.end_ns < below_ns) {
      last.span.end_ns = std::max(last.span.end_ns, next.span.end_ns);
      last.events += next.events;
      last.busy_ns += next.busy_ns;
      if (next.longest_ns > last.longest_ns) last.longest_ns = next.longest_ns, last.name = next.name;
      return;
    }
  }
  bundles.push_back(next);
}

void LaneBuilder::add(trace::Span span, trace::StringId name) {
  const std::int64_t duration_ns = span.duration_ns();
  join(bundles_, {.span = span, .events = 1, .busy_ns = duration_ns, .longest_ns = duration_ns, .name = name},
       merged_below_ns_);
}

void LaneBuilder::merge_below(std::int64_t ns) {
  merged_below_ns_ = ns;
  std::vector<Bundle> merged;
  for (const Bundle& bundle : bundles_) join(merged, bundle, ns);
  bundles_ = std::move(merged);
}

std::int64_t LaneBuilder::busy_ns() const {
  std::int64_t sum = 0;
  for (const Bundle& bundle : bundles_) sum += bundle.busy_ns;
  return sum;
}

}  // namespace gputrace::analyzer
