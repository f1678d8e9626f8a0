// Time on the GPU by kernel.
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace) {
  if (!trace.has(trace::Table::kernels)) return {.columns = {}, .rows = {}, .missing = "no kernels in the trace"};
  const trace::Kernels& kernels = trace.kernels;
  const auto groups = group_rows(kernels.name, [&](std::size_t i) { return kernels.span(i).duration_ns(); },
                                 [&](trace::StringId name) { return trace.text(name); });
  return time_summary(groups, trace.span().duration_ns(), "Instances", "Name");
}

}  // namespace

extern const Summary cuda_gpu_kern_sum{"cuda_gpu_kern_sum", "kernel", "CUDA GPU kernels", make};

}  // namespace gputrace::reports
