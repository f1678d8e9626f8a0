// Every NVTX push/pop range with its place in the stack, by start time.
#include "reports/nvtx_nesting.h"
#include "reports/summary.h"
#include "reports/thread_ids.h"

namespace gputrace::reports {
namespace {

using trace::Trace;

std::vector<SummaryColumn> columns() {
  return {{"Start (ns)", Quantity::time_ns},       {"End (ns)", Quantity::time_ns},    {"Duration (ns)", Quantity::time_ns},
          {"DurChild (ns)", Quantity::time_ns},    {"DurNonChild (ns)", Quantity::time_ns}, {"Name", Quantity::text},
          {"PID", Quantity::identifier},           {"TID", Quantity::identifier},      {"Lvl", Quantity::identifier},
          {"NumChild", Quantity::count},           {"RangeId", Quantity::identifier},  {"ParentId", Quantity::identifier},
          {"RangeStack", Quantity::text},          {"NameTree", Quantity::text}};
}

std::vector<SummaryCell> row_of(const Trace& trace, const std::vector<Nested>& nesting, std::size_t i) {
  const Nested& nested = nesting[i];
  const std::int64_t start_ns = trace.nvtx.start_ns[i], end_ns = trace.nvtx.end_ns[i];
  const std::string name = range_name(trace, i);
  SummaryCell parent = std::monostate{};
  if (nested.parent >= 0) parent = nested.parent + 1;
  return {start_ns, end_ns, end_ns - start_ns, nested.children_ns, end_ns - start_ns - nested.children_ns, name,
          pid_of(trace, trace.nvtx.thread[i]), tid_of(trace, trace.nvtx.thread[i]), std::int64_t{nested.level}, nested.children,
          static_cast<std::int64_t>(i) + 1, parent, range_stack(nesting, i),
          std::string(2 * static_cast<std::size_t>(nested.level), '-') + name};
}

SummaryTable make(const Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::nvtx)) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  SummaryTable table{.columns = columns(), .rows = {}, .missing = ""};
  const auto nesting = nvtx_nesting(trace);
  for (std::size_t i = 0; i < trace.nvtx.size(); ++i) {
    const bool push_pop = trace.nvtx.kind[i] == trace::NvtxKind::push_pop && is_ended_range(trace.nvtx, i);
    if (push_pop) table.rows.push_back(row_of(trace, nesting, i));
  }
  return table;
}

}  // namespace

extern const Summary nvtx_pushpop_trace{"nvtx_pushpop_trace", "nvtx_pushpop_trace", "NVTX push/pop ranges, one by one", make,
                                        /*on_request=*/true, "nvtxpptrace"};

}  // namespace gputrace::reports
