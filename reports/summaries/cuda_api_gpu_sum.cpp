// Time by CUDA call on the host, and by kernel, copy and fill on the GPU, in one table. Both run at the same time, so Wall (%)
// is what compares.
#include "reports/api_name.h"
#include "reports/memory_operations.h"
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  ValueGroups groups = gpu_durations_ns(trace);
  const trace::ApiCalls& calls = trace.api_calls;
  groups.merge(group_rows(
      calls.name, [&](std::size_t i) { return calls.span(i).duration_ns(); },
      [&](trace::StringId name) { return paired("CUDA_API", without_api_version(trace.text(name))); }));
  if (groups.empty()) return {.columns = {}, .rows = {}, .missing = "no CUDA calls and no work on a GPU in the trace"};
  SummaryTable table = time_summary(groups, trace.span().duration_ns(), "Instances", "Operation");
  split_pairs(table, {"Category", Quantity::text});
  return table;
}

}  // namespace

extern const Summary cuda_api_gpu_sum{"cuda_api_gpu_sum", "cuda_api_gpu_sum", "CUDA API calls, kernels and memory operations", make,
                                      /*on_request=*/true, "apigpusum"};

}  // namespace gputrace::reports
