// Time on the host by CUDA API function.
#include "reports/api_name.h"
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::api_calls)) return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  const trace::ApiCalls& calls = trace.api_calls;
  const auto groups = group_rows(calls.name, [&](std::size_t i) { return calls.span(i).duration_ns(); },
                                 [&](trace::StringId name) { return std::string(without_api_version(trace.text(name))); });
  return time_summary(groups, trace.span().duration_ns(), "Num Calls", "Name");
}

}  // namespace

extern const Summary cuda_api_sum{"cuda_api_sum", "api", "CUDA API calls on the host", make, /*on_request=*/false, "cudaapisum"};

}  // namespace gputrace::reports
