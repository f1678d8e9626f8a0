// Kernels by the NVTX ranges that asked for them: each counts for every range around its call, not for the innermost only.
#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/launch_index.h"
#include "reports/nvtx_nesting.h"
#include "reports/summary.h"
#include "reports/thread_ids.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

using trace::Trace;

struct Launch {
  std::int64_t call_start_ns;
  std::size_t kernel;
};

std::vector<std::vector<Launch>> launches_by_thread(const Trace& trace) {
  std::vector<std::vector<Launch>> threads(trace.threads.size());
  const analyzer::LaunchIndex index(trace);
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const auto call = index.call(trace.kernels.process[i], trace.kernels.correlation[i]);
    if (!call || trace.api_calls.thread[*call].value < 0) continue;
    threads[static_cast<std::size_t>(trace.api_calls.thread[*call].value)].push_back({trace.api_calls.start_ns[*call], i});
  }
  for (auto& launches : threads) {
    std::sort(launches.begin(), launches.end(),
              [](const Launch& a, const Launch& b) { return std::tie(a.call_start_ns, a.kernel) < std::tie(b.call_start_ns, b.kernel); });
  }
  return threads;
}

// Domain, text, kind, thread, kernel's name.
using Key = std::tuple<trace::StringId, trace::StringId, trace::NvtxKind, trace::ThreadIndex, trace::StringId>;

struct Group {
  std::size_t example = 0, last = SIZE_MAX;  // ranges
  std::int64_t ranges = 0;
  std::vector<std::int64_t> durations_ns;
};

void add_range(const Trace& trace, std::size_t range, const std::vector<Launch>& launches, std::map<Key, Group>& groups) {
  const trace::NvtxRanges& ranges = trace.nvtx;
  auto at = std::lower_bound(launches.begin(), launches.end(), ranges.start_ns[range],
                             [](const Launch& launch, std::int64_t ns) { return launch.call_start_ns < ns; });
  for (; at != launches.end() && at->call_start_ns <= ranges.end_ns[range]; ++at) {
    Group& group = groups[{ranges.domain[range], ranges.text[range], ranges.kind[range], ranges.thread[range],
                           trace.kernels.name[at->kernel]}];
    if (group.last != range) ++group.ranges, group.last = range;
    group.example = range;
    group.durations_ns.push_back(trace.kernels.span(at->kernel).duration_ns());
  }
}

std::vector<SummaryColumn> columns() {
  return {{"NVTX Range", Quantity::text},   {"Style", Quantity::text},        {"PID", Quantity::identifier},
          {"TID", Quantity::identifier},    {"NVTX Inst", Quantity::count},   {"Kern Inst", Quantity::count},
          {"Total Time (ns)", Quantity::time_ns}, {"Avg (ns)", Quantity::time_ns}, {"Med (ns)", Quantity::time_ns},
          {"Min (ns)", Quantity::time_ns},  {"Max (ns)", Quantity::time_ns},  {"StdDev (ns)", Quantity::time_ns},
          {"Kernel Name", Quantity::text},  {"Label", Quantity::text}};  // the label after the columns that scripts know
}

SummaryTable make(const Trace& trace, analyzer::Explainer& explainer) {
  if (!trace.has(trace::Table::nvtx)) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  if (!trace.has(trace::Table::kernels)) return {.columns = {}, .rows = {}, .missing = "no kernels in the trace"};
  if (!trace.has(trace::Table::api_calls)) return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  const auto threads = launches_by_thread(trace);
  std::map<Key, Group> groups;
  for (std::size_t i = 0; i < trace.nvtx.size(); ++i) {
    const std::int32_t thread = trace.nvtx.thread[i].value;
    if (thread >= 0 && is_ended_range(trace.nvtx, i)) add_range(trace, i, threads[static_cast<std::size_t>(thread)], groups);
  }
  SummaryTable table{.columns = columns(), .rows = {}, .missing = ""};
  for (const auto& [key, group] : groups) {
    const trace::ThreadIndex thread = std::get<trace::ThreadIndex>(key);
    const std::string_view kernel = trace.text(std::get<4>(key));
    const Statistics of = statistics(group.durations_ns);
    table.rows.push_back({range_name(trace, group.example), std::string(range_style(std::get<trace::NvtxKind>(key))),
                          pid_of(trace, thread), tid_of(trace, thread), group.ranges, of.count, of.total, of.mean, of.median, of.min,
                          of.max, of.standard_deviation, std::string(kernel), explainer.explain(kernel).label});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tuple(-std::get<std::int64_t>(a[6]), a[0], a[12]) < std::tuple(-std::get<std::int64_t>(b[6]), b[0], b[12]);
  });
  return table;
}

}  // namespace

extern const Summary nvtx_kern_sum{"nvtx_kern_sum", "nvtx_kern_sum", "CUDA kernels by NVTX range", make,
                                   /*on_request=*/true, "nvtxkernsum"};

}  // namespace gputrace::reports
