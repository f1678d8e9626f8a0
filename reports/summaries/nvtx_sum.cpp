// NVTX ranges on the host, as DOMAIN:TEXT; the default domain has no name.
#include "reports/nvtx_durations.h"
#include "reports/nvtx_nesting.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::nvtx)) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  // A push/pop and a start/end range of one name are two rows, as their durations mean different things.
  const auto groups = nvtx_durations_ns(
      trace, [&](std::size_t i) { return paired(range_style(trace.nvtx.kind[i]), range_name(trace, i)); });
  SummaryTable table = time_summary(groups, trace.span().duration_ns(), "Instances", "Range");
  split_pairs(table, {"Style", Quantity::text});
  return table;
}

}  // namespace

extern const Summary nvtx_sum{"nvtx_sum", "nvtx", "NVTX ranges on the host", make, /*on_request=*/false, "nvtxsum"};

}  // namespace gputrace::reports
