// Time on the GPU by kernel.
#include "analyzer/explain.h"
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& explainer) {
  if (!trace.has(trace::Table::kernels)) return {.columns = {}, .rows = {}, .missing = "no kernels in the trace"};
  const trace::Kernels& kernels = trace.kernels;
  const auto groups = group_rows(kernels.name, [&](std::size_t i) { return kernels.span(i).duration_ns(); },
                                 [&](trace::StringId name) { return std::string(trace.text(name)); });
  SummaryTable table = time_summary(groups, trace.span().duration_ns(), "Instances", "Name");
  // What a kernel does, besides what it is called: after the columns that scripts know.
  table.columns.push_back({"Label", Quantity::text});
  for (auto& row : table.rows) {
    const std::string name = std::get<std::string>(row.back());
    row.emplace_back(explainer.explain(name).label);
  }
  return table;
}

}  // namespace

extern const Summary cuda_gpu_kern_sum{"cuda_gpu_kern_sum", "kernel", "CUDA GPU kernels", make, /*on_request=*/false, "gpukernsum"};

}  // namespace gputrace::reports
