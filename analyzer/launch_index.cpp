#include "analyzer/launch_index.h"

#include <algorithm>
#include <tuple>

namespace gputrace::analyzer {

LaunchIndex::LaunchIndex(const trace::Trace& trace) {
  const trace::ApiCalls& calls = trace.api_calls;
  entries_.reserve(calls.size());
  for (std::uint32_t row = 0; row < calls.size(); ++row) {
    if (calls.correlation[row].value == 0) continue;
    const std::int32_t thread = calls.thread[row].value;
    const std::int32_t process = thread < 0 ? -1 : trace.threads[static_cast<std::size_t>(thread)].process.value;
    entries_.push_back({calls.correlation[row].value, process, row});
  }
  // Rows are in the order of their start, so the outer call of an id comes first.
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.process, a.correlation, a.row) < std::tie(b.process, b.correlation, b.row);
  });
}

std::optional<std::uint32_t> LaunchIndex::call(trace::ProcessIndex process, trace::CorrelationId correlation) const {
  if (correlation.value == 0) return std::nullopt;
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), std::tie(process.value, correlation.value),
      [](const Entry& entry, const auto& key) { return std::tie(entry.process, entry.correlation) < key; });
  if (found == entries_.end() || found->process != process.value || found->correlation != correlation.value) return std::nullopt;
  return found->row;
}

}  // namespace gputrace::analyzer
