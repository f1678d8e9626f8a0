// NVTX start/end ranges on the host, as DOMAIN:TEXT.
#include "reports/nvtx_durations.h"
#include "reports/nvtx_nesting.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::nvtx)) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges in the trace"};
  const auto groups = nvtx_durations_ns(trace, [&](std::size_t i) -> std::optional<std::string> {
    if (trace.nvtx.kind[i] != trace::NvtxKind::start_end) return std::nullopt;
    return range_name(trace, i);
  });
  return time_summary(groups, trace.span().duration_ns(), "Instances", "Range");
}

}  // namespace

extern const Summary nvtx_startend_sum{"nvtx_startend_sum", "nvtx_startend_sum", "NVTX start/end ranges on the host", make,
                                    /*on_request=*/true, "nvtxsesum"};

}  // namespace gputrace::reports
