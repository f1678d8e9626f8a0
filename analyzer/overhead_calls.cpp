#include "analyzer/overhead_calls.h"

#include <algorithm>
#include <iterator>

namespace gputrace::analyzer {
namespace {

// Rows of the calls that lie in no other call, by thread, in the order of start.
std::vector<std::vector<std::uint32_t>> outer_calls(const trace::Trace& trace) {
  std::vector<std::vector<std::uint32_t>> rows(trace.threads.size());
  const trace::ApiCalls& calls = trace.api_calls;
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    const auto thread = static_cast<std::size_t>(calls.thread[i].value);  // -1, none, is beyond all
    if (thread < rows.size() && (rows[thread].empty() || calls.start_ns[i] >= calls.end_ns[rows[thread].back()])) rows[thread].push_back(i);
  }
  return rows;
}

}  // namespace

std::vector<OverheadCall> calls_of_overheads(const trace::Trace& trace, bool (*is_asked)(trace::OverheadKind)) {
  std::vector<OverheadCall> found;
  const trace::Overheads& overheads = trace.overheads;
  if (std::none_of(overheads.kind.begin(), overheads.kind.end(), is_asked)) return found;
  const auto outer = outer_calls(trace);
  const trace::ApiCalls& calls = trace.api_calls;
  for (std::uint32_t i = 0; i < overheads.size(); ++i) {
    const auto thread = static_cast<std::size_t>(overheads.thread[i].value);
    if (!is_asked(overheads.kind[i]) || thread >= outer.size()) continue;
    const auto after = std::upper_bound(outer[thread].begin(), outer[thread].end(), overheads.start_ns[i],
                                        [&](std::int64_t ns, std::uint32_t row) { return ns < calls.start_ns[row]; });
    if (after != outer[thread].begin() && calls.end_ns[*std::prev(after)] > overheads.start_ns[i]) found.push_back({i, *std::prev(after)});
  }
  return found;
}

}  // namespace gputrace::analyzer
