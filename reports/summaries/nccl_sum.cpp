// Time on the GPU by collective operation: the kernels of NCCL, and of RCCL, which has the same names.
#include "analyzer/explain.h"
#include "analyzer/signature_family.h"
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

SummaryTable missing(const char* why) { return {.columns = {}, .rows = {}, .missing = why}; }

// By operation ("all-reduce"), not by kernel: the kernel's name changes with NCCL's version and algorithm. A
// kernel's time holds the wait for the slowest GPU, so a long one is not a slow link.
SummaryTable make(const trace::Trace& trace, analyzer::Explainer& explainer) {
  if (!trace.has(trace::Table::kernels)) return missing("no kernels in the trace");
  const trace::Kernels& kernels = trace.kernels;
  auto groups = group_rows(
      kernels.name, [&](std::size_t i) { return kernels.span(i).duration_ns(); },
      [&](trace::StringId name) -> std::string {
        const auto& explanation = explainer.explain(trace.text(name));
        if (explanation.op_class != analyzer::op_class::kCommunication) return "";
        return explanation.operation.empty() ? "other" : explanation.operation;
      });
  groups.erase("");
  if (groups.empty()) return missing("no kernels of NCCL in the trace");
  return time_summary(groups, trace.span().duration_ns(), "Instances", "Operation");
}

}  // namespace

extern const Summary nccl_sum{"nccl_sum", "nccl", "Collectives on the GPU", make};

}  // namespace gputrace::reports
