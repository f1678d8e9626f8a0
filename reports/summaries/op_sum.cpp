// Ops of the framework on the host: the NVTX ranges of the domain "op".
#include "reports/nvtx_durations.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

constexpr std::string_view kOpDomain = "op";

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  const auto op_name = [&trace](std::size_t i) -> std::optional<std::string> {
    if (trace.text(trace.nvtx.domain[i]) != kOpDomain) return std::nullopt;
    return std::string(trace.text(trace.nvtx.text[i]));
  };
  const auto groups = nvtx_durations_ns(trace, op_name);
  if (groups.empty()) return {.columns = {}, .rows = {}, .missing = "no NVTX ranges of the domain \"op\" in the trace"};
  return time_summary(groups, trace.span().duration_ns(), "Instances", "Op");
}

}  // namespace

extern const Summary op_sum{"op_sum", "op", "Ops on the host", make};

}  // namespace gputrace::reports
