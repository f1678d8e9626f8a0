// Copies and fills by direction: their time.
#include "reports/memory_operations.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!has_memory_operations(trace)) return {.columns = {}, .rows = {}, .missing = "no copies or fills in the trace"};
  return time_summary(memory_durations_ns(trace), trace.span().duration_ns(), "Count", "Operation");
}

}  // namespace

extern const Summary cuda_gpu_mem_time_sum{"cuda_gpu_mem_time_sum", "copy", "CUDA GPU memory operations, by time", make,
                                           /*on_request=*/false, "gpumemtimesum"};

}  // namespace gputrace::reports
