// Copies and fills by direction: their bytes.
#include "reports/memory_operations.h"
#include "reports/summary.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!has_memory_operations(trace)) return {.columns = {}, .rows = {}, .missing = "no copies or fills in the trace"};
  return size_summary(memory_sizes_bytes(trace));
}

}  // namespace

extern const Summary cuda_gpu_mem_size_sum{"cuda_gpu_mem_size_sum", "copy", "CUDA GPU memory operations, by size", make,
                                           /*on_request=*/false, "gpumemsizesum"};

}  // namespace gputrace::reports
