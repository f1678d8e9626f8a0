#include "analyzer/loading_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyzer/call_kinds.h"
#include "analyzer/launch_index.h"
#include "analyzer/overhead_calls.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

// Rows of the calls that asked for the first kernel of each name, by process.
std::vector<std::uint32_t> first_launches(const trace::Trace& trace) {
  const LaunchIndex launches(trace);
  std::set<std::pair<std::int32_t, std::uint32_t>> seen;
  std::vector<std::uint32_t> first;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {  // in the order of start, which is about that of launches
    if (!seen.emplace(trace.kernels.process[i].value, trace.kernels.name[i].value).second) continue;
    if (const auto call = launches.call(trace.kernels.process[i], trace.kernels.correlation[i])) first.push_back(*call);
  }
  return first;
}

bool is_of_loading(trace::OverheadKind kind) {
  using trace::OverheadKind;
  return kind == OverheadKind::module_load || kind == OverheadKind::lazy_function_load || kind == OverheadKind::driver_jit;
}

// What the driver itself recorded of loading and compiling, by the row of the call that it happened in.
std::map<std::uint32_t, std::int64_t> recorded_loading_ns(const trace::Trace& trace) {
  std::map<std::uint32_t, std::int64_t> loading;
  for (const auto& [overhead, call] : calls_of_overheads(trace, is_of_loading)) {
    const std::int64_t ns = std::min(trace.overheads.end_ns[overhead], trace.api_calls.end_ns[call]) - trace.overheads.start_ns[overhead];
    if (ns > 0) loading[call] += ns;
  }
  return loading;
}

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

LoadingCalls find_loading_calls(const trace::Trace& trace, const Metrics& metrics) {
  const trace::ApiCalls& calls = trace.api_calls;
  LoadingCalls found{.is_loading = std::vector<bool>(calls.size()), .usual_ns = std::vector<std::int64_t>(calls.size())};
  std::vector<CallKind> kind_of(trace.strings.size(), CallKind::other);
  std::vector<bool> known(trace.strings.size());
  std::vector<std::int64_t> launches;
  const auto add = [&](std::size_t row, std::int64_t usual_ns) {
    if (found.is_loading[row] || !metrics.holds(calls.span(row))) return;
    found.is_loading[row] = true;
    found.usual_ns[row] = usual_ns;
    found.lost_ns += calls.span(row).duration_ns() - usual_ns;
    ++found.count;
  };
  for (const auto& [row, ns] : recorded_loading_ns(trace)) add(row, std::max<std::int64_t>(0, calls.span(row).duration_ns() - ns));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::uint32_t name = calls.name[i].value;
    if (!known[name]) known[name] = true, kind_of[name] = call_kind(trace.text(calls.name[i]));
    if (kind_of[name] == CallKind::launch) launches.push_back(calls.span(i).duration_ns());
    if (kind_of[name] == CallKind::load) add(i, 0);
  }
  found.launch_ns = median(std::move(launches));
  for (const std::uint32_t row : first_launches(trace)) {
    const auto ns = static_cast<double>(calls.span(row).duration_ns());
    if (kind_of[calls.name[row].value] == CallKind::launch && ns >= thresholds::kFirstLaunchFactor * static_cast<double>(std::max<std::int64_t>(1, found.launch_ns)))
      add(row, found.launch_ns);
  }
  return found;
}

}  // namespace gputrace::analyzer
