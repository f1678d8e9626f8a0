#include "analyzer/launch_index.h"

#include <algorithm>
#include <tuple>

namespace gputrace::analyzer {
namespace {

constexpr std::uint32_t kNoCall = UINT32_MAX;
constexpr std::size_t kMostIdsPerCall = 4;  // of which some are no call's; beyond that a sorted list is smaller

// Ids may be any int64, so that differences are taken unsigned.
std::uint64_t distance(std::int64_t low, std::int64_t high) { return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low); }

}  // namespace

// Calls visit(row, id, calls of its process) in the order of rows.
template <class Visit>
void LaunchIndex::for_each_call(const trace::Trace& trace, Visit visit) {
  const trace::ApiCalls& calls = trace.api_calls;
  std::vector<Calls*> of_thread(trace.threads.size() + 1);  // looked up once each; the last: of calls without a thread
  for (std::uint32_t row = 0; row < calls.size(); ++row) {
    const std::int64_t id = calls.correlation[row].value;
    if (id == 0) continue;
    const bool known = calls.thread[row].value >= 0;
    const std::size_t thread = known ? static_cast<std::size_t>(calls.thread[row].value) : trace.threads.size();
    if (of_thread[thread] == nullptr)
      of_thread[thread] = &processes_[known ? trace.threads[thread].process : trace::ProcessIndex{-1}];
    visit(row, id, *of_thread[thread]);
  }
}

LaunchIndex::LaunchIndex(const trace::Trace& trace) {
  for_each_call(trace, [](std::uint32_t, std::int64_t id, Calls& of) {
    of.first_id = of.count == 0 ? id : std::min(of.first_id, id);
    of.last_id = of.count == 0 ? id : std::max(of.last_id, id);
    ++of.count;
  });
  for (auto& [process, of] : processes_) {
    const std::uint64_t ids = distance(of.first_id, of.last_id);  // less one
    ids / kMostIdsPerCall < of.count ? of.row_of_id.assign(ids + 1, kNoCall) : of.by_id.reserve(of.count);
  }
  for_each_call(trace, [](std::uint32_t row, std::int64_t id, Calls& of) {
    if (of.row_of_id.empty()) return of.by_id.push_back({id, row});
    // Rows are in the order of their start, so the outer call of an id comes first.
    std::uint32_t& first = of.row_of_id[distance(of.first_id, id)];
    first = std::min(first, row);
  });
  for (auto& [process, of] : processes_)
    std::sort(of.by_id.begin(), of.by_id.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.correlation, a.row) < std::tie(b.correlation, b.row);
    });
}

std::optional<std::uint32_t> LaunchIndex::call(trace::ProcessIndex process, trace::CorrelationId correlation) const {
  const auto found = processes_.find(process);
  if (correlation.value == 0 || found == processes_.end()) return std::nullopt;
  const Calls& of = found->second;
  if (!of.row_of_id.empty()) {
    if (correlation.value < of.first_id || correlation.value > of.last_id) return std::nullopt;
    const std::uint32_t row = of.row_of_id[distance(of.first_id, correlation.value)];
    return row == kNoCall ? std::nullopt : std::optional{row};
  }
  const auto entry = std::lower_bound(of.by_id.begin(), of.by_id.end(), correlation.value,
                                      [](const Entry& e, std::int64_t id) { return e.correlation < id; });
  if (entry == of.by_id.end() || entry->correlation != correlation.value) return std::nullopt;
  return entry->row;
}

}  // namespace gputrace::analyzer
