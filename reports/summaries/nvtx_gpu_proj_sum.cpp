// NVTX ranges as the GPU saw them; ranges that asked the GPU for nothing are left out.
#include <algorithm>
#include <map>
#include <tuple>

#include "reports/gpu_projection.h"
#include "reports/nvtx_nesting.h"
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

using trace::NvtxKind;
using trace::Trace;

struct Group {
  std::vector<std::int64_t> projected_ns;
  std::int64_t range_ns = 0, gpu_ops = 0, levels = 0, children = 0;  // sums over the ranges
};

// Domain, text, kind: ids, since a row of text per range would cost more than the figures.
using Key = std::tuple<trace::StringId, trace::StringId, NvtxKind>;

std::map<Key, Group> by_range(const Trace& trace) {
  std::map<Key, Group> groups;
  const GpuProjection projection(trace);
  const auto nesting = nvtx_nesting(trace);
  const trace::NvtxRanges& ranges = trace.nvtx;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!is_ended_range(ranges, i)) continue;
    const auto seen = projection.of(ranges.thread[i], {ranges.start_ns[i], ranges.end_ns[i]});
    if (!seen) continue;
    Group& group = groups[{ranges.domain[i], ranges.text[i], ranges.kind[i]}];
    group.projected_ns.push_back(seen->span.duration_ns());
    group.range_ns += ranges.end_ns[i] - ranges.start_ns[i];
    group.gpu_ops += seen->gpu_ops;
    group.levels += nesting[i].level;
    group.children += nesting[i].children;
  }
  return groups;
}

std::vector<SummaryColumn> columns() {
  return {{"Range", Quantity::text},
          {"Style", Quantity::text},
          {"Total Proj Time (ns)", Quantity::time_ns},
          {"Total Range Time (ns)", Quantity::time_ns},
          {"Range Instances", Quantity::count},
          {"Proj Avg (ns)", Quantity::time_ns},
          {"Proj Med (ns)", Quantity::time_ns},
          {"Proj Min (ns)", Quantity::time_ns},
          {"Proj Max (ns)", Quantity::time_ns},
          {"Proj StdDev (ns)", Quantity::time_ns},
          {"Total GPU Ops", Quantity::count},
          {"Avg GPU Ops", Quantity::count},
          {"Avg Range Lvl", Quantity::count},
          {"Avg Num Child", Quantity::count}};
}

std::vector<SummaryCell> row_of(const Trace& trace, const Key& key, const Group& group) {
  const auto& [domain, text, kind] = key;
  const Statistics of = statistics(group.projected_ns);
  const auto average = [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(of.count); };
  return {std::string(trace.text(domain)) + ":" + std::string(trace.text(text)),
          std::string(range_style(kind)),
          of.total,
          group.range_ns,
          of.count,
          of.mean,
          of.median,
          of.min,
          of.max,
          of.standard_deviation,
          group.gpu_ops,
          average(group.gpu_ops),
          average(group.levels),
          average(group.children)};
}

SummaryTable make(const Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::nvtx))
    return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  if (!trace.has(trace::Table::api_calls))
    return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  SummaryTable table{.columns = columns(), .rows = {}, .missing = ""};
  for (const auto& [key, group] : by_range(trace)) table.rows.push_back(row_of(trace, key, group));
  std::sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tuple(-std::get<std::int64_t>(a[2]), a[0], a[1]) <
           std::tuple(-std::get<std::int64_t>(b[2]), b[0], b[1]);
  });
  return table;
}

}  // namespace

extern const Summary nvtx_gpu_proj_sum{"nvtx_gpu_proj_sum", "nvtx", "NVTX ranges as the GPU saw them", make};

}  // namespace gputrace::reports
