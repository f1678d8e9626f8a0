#include "analyzer/innermost_ranges.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

struct Open {
  std::int64_t end_ns;
  trace::StringId text;
};

}  // namespace

InnermostRanges::InnermostRanges(const trace::Trace& trace, trace::Span window) : by_thread_(trace.threads.size() + 1) {
  std::vector<std::vector<Open>> open(by_thread_.size());
  const auto close_until = [&](std::size_t slot, std::int64_t ns) {
    while (!open[slot].empty() && open[slot].back().end_ns <= ns) {
      const std::int64_t end_ns = open[slot].back().end_ns;
      // Start/end ranges may end before one that began within them: those are over with it, or before.
      while (!open[slot].empty() && open[slot].back().end_ns <= end_ns) open[slot].pop_back();
      by_thread_[slot].push_back({end_ns, open[slot].empty() ? trace::StringId{} : open[slot].back().text});
    }
  };
  const trace::NvtxRanges& ranges = trace.nvtx;
  for (std::size_t i = 0; i < ranges.size() && ranges.start_ns[i] < window.end_ns; ++i) {
    const std::int64_t end_ns = ranges.end_ns[i] == trace::kNoEnd ? INT64_MAX : ranges.end_ns[i];
    if (end_ns <= window.start_ns || end_ns == ranges.start_ns[i]) continue;
    const auto slot = static_cast<std::size_t>(ranges.thread[i].value + 1);
    close_until(slot, ranges.start_ns[i]);
    open[slot].push_back({end_ns, ranges.text[i]});
    by_thread_[slot].push_back({ranges.start_ns[i], ranges.text[i]});
  }
  for (std::size_t slot = 0; slot < open.size(); ++slot) close_until(slot, INT64_MAX - 1);
}

trace::StringId InnermostRanges::at(trace::ThreadIndex thread, std::int64_t ns) const {
  const auto slot = static_cast<std::size_t>(thread.value + 1);
  if (slot >= by_thread_.size()) return {};
  const std::vector<Change>& changes = by_thread_[slot];
  const auto after = std::upper_bound(changes.begin(), changes.end(), ns, [](std::int64_t at, const Change& change) { return at < change.ns; });
  return after == changes.begin() ? trace::StringId{} : std::prev(after)->text;
}

}  // namespace gputrace::analyzer
