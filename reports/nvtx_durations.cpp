#include "reports/nvtx_durations.h"

#include "reports/nvtx_nesting.h"

namespace gputrace::reports {

ValueGroups nvtx_durations_ns(const trace::Trace& trace,
                              const std::function<std::optional<std::string>(std::size_t range)>& name) {
  const trace::NvtxRanges& ranges = trace.nvtx;
  ValueGroups groups;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!is_ended_range(ranges, i)) continue;
    if (const auto group = name(i)) add_value(groups, *group, ranges.end_ns[i] - ranges.start_ns[i]);
  }
  return groups;
}

}  // namespace gputrace::reports
