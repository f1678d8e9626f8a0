#include "trace/nested_lanes.h"

namespace gputrace::trace {
namespace {

std::int64_t end_of(const Span& span) { return span.end_ns == kNoEnd ? INT64_MAX : span.end_ns; }

bool fits(std::vector<std::int64_t>& open_ends, const Span& span) {
  while (!open_ends.empty() && open_ends.back() <= span.start_ns) open_ends.pop_back();
  return open_ends.empty() || open_ends.back() >= end_of(span);
}

}  // namespace

std::vector<std::uint32_t> nested_lanes(const std::vector<Span>& spans, std::size_t most) {
  std::vector<std::uint32_t> lane_of(spans.size());
  std::vector<std::vector<std::int64_t>> lanes;  // the ends that are open, outermost first
  for (std::size_t i = 0; i < spans.size(); ++i) {
    std::size_t lane = 0;
    while (lane < lanes.size() && !fits(lanes[lane], spans[i]) && lane + 1 < most) ++lane;
    if (lane == lanes.size()) lanes.emplace_back();
    lanes[lane].push_back(end_of(spans[i]));
    lane_of[i] = static_cast<std::uint32_t>(lane);
  }
  return lane_of;
}

}  // namespace gputrace::trace
