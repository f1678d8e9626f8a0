// NVTX push/pop ranges on the host, as DOMAIN:TEXT.
#include "reports/nvtx_durations.h"
#include "reports/nvtx_nesting.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::nvtx)) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  const auto groups = nvtx_durations_ns(trace, [&](std::size_t i) -> std::optional<std::string> {
    if (trace.nvtx.kind[i] != trace::NvtxKind::push_pop) return std::nullopt;
    return range_name(trace, i);
  });
  return time_summary(groups, trace.span().duration_ns(), "Instances", "Range");
}

}  // namespace

extern const Summary nvtx_pushpop_sum{"nvtx_pushpop_sum", "nvtx_pushpop_sum", "NVTX push/pop ranges on the host", make,
                                    /*on_request=*/true, "nvtxppsum"};

}  // namespace gputrace::reports
