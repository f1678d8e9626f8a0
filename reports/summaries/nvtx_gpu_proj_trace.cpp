// Every NVTX range that asked the GPU for something, as the GPU saw it, by the range's start.
#include "reports/gpu_projection.h"
#include "reports/nvtx_nesting.h"
#include "reports/summary.h"
#include "reports/thread_ids.h"

namespace gputrace::reports {
namespace {

using trace::Trace;

std::vector<SummaryColumn> columns() {
  return {{"Name", Quantity::text},
          {"Projected Start (ns)", Quantity::time_ns},
          {"Projected Duration (ns)", Quantity::time_ns},
          {"Orig Start (ns)", Quantity::time_ns},
          {"Orig Duration (ns)", Quantity::time_ns},
          {"Style", Quantity::text},
          {"PID", Quantity::identifier},
          {"TID", Quantity::identifier},
          {"NumGPUOps", Quantity::count},
          {"Lvl", Quantity::identifier},
          {"NumChild", Quantity::count},
          {"RangeId", Quantity::identifier},
          {"ParentId", Quantity::identifier},
          {"RangeStack", Quantity::text}};
}

std::vector<SummaryCell> row_of(const Trace& trace, const std::vector<Nested>& nesting, std::size_t i, const Projection& seen) {
  const trace::NvtxRanges& ranges = trace.nvtx;
  const Nested& nested = nesting[i];
  SummaryCell parent = std::monostate{};
  if (nested.parent >= 0) parent = nested.parent + 1;
  return {range_name(trace, i), seen.span.start_ns, seen.span.duration_ns(), ranges.start_ns[i],
          ranges.end_ns[i] - ranges.start_ns[i], std::string(range_style(ranges.kind[i])), pid_of(trace, ranges.thread[i]),
          tid_of(trace, ranges.thread[i]), seen.gpu_ops, std::int64_t{nested.level}, nested.children,
          static_cast<std::int64_t>(i) + 1, parent, range_stack(nesting, i)};
}

SummaryTable make(const Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::nvtx)) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  if (!trace.has(trace::Table::api_calls)) return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  SummaryTable table{.columns = columns(), .rows = {}, .missing = ""};
  const auto nesting = nvtx_nesting(trace);
  const GpuProjection projection(trace);
  for (std::size_t i = 0; i < trace.nvtx.size(); ++i) {
    if (!is_ended_range(trace.nvtx, i)) continue;
    const auto seen = projection.of(trace.nvtx.thread[i], {trace.nvtx.start_ns[i], trace.nvtx.end_ns[i]});
    if (seen) table.rows.push_back(row_of(trace, nesting, i, *seen));
  }
  return table;
}

}  // namespace

extern const Summary nvtx_gpu_proj_trace{"nvtx_gpu_proj_trace", "nvtx_gpu_proj_trace", "NVTX ranges as the GPU saw them, one by one", make,
                                         /*on_request=*/true, "nvtxgpuproj"};

}  // namespace gputrace::reports
