// Time on the GPU by kernel, copy and fill, side by side.
#include "reports/memory_operations.h"
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::kernels) && !has_memory_operations(trace)) {
    return {.columns = {}, .rows = {}, .missing = "no kernels, copies or fills in the trace"};
  }
  SummaryTable table = time_summary(gpu_durations_ns(trace), trace.span().duration_ns(), "Instances", "Operation");
  split_pairs(table, {"Category", Quantity::text});
  return table;
}

}  // namespace

extern const Summary cuda_gpu_sum{"cuda_gpu_sum", "cuda_gpu_sum", "CUDA GPU kernels and memory operations", make,
                                  /*on_request=*/true, "gpusum"};

}  // namespace gputrace::reports
