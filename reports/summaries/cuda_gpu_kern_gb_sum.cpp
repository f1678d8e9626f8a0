// Time on the GPU by kernel, grid and block: one kernel can be many shapes of work.
#include <map>
#include <tuple>

#include "reports/dimensions_text.h"
#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

using trace::Dim3;

// Ids, since a row of text per kernel would cost more than the figures.
using Key = std::tuple<trace::StringId, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

Key key_of(const trace::Kernels& kernels, std::size_t i) {
  const Dim3 &grid = kernels.grid[i], &block = kernels.block[i];
  return {kernels.name[i], grid.x, grid.y, grid.z, block.x, block.y, block.z};
}

SummaryTable make(const trace::Trace& trace, analyzer::Explainer& /*explainer*/) {
  if (!trace.has(trace::Table::kernels)) return {.columns = {}, .rows = {}, .missing = "no kernels in the trace"};
  const trace::Kernels& kernels = trace.kernels;
  std::map<Key, std::vector<std::int64_t>> durations_ns;
  for (std::size_t i = 0; i < kernels.size(); ++i) durations_ns[key_of(kernels, i)].push_back(kernels.span(i).duration_ns());
  ValueGroups groups;
  for (auto& [key, values] : durations_ns) {
    const auto& [name, gx, gy, gz, bx, by, bz] = key;
    const std::string grid = dimensions_text({gx, gy, gz}), block = dimensions_text({bx, by, bz});
    groups[paired(grid, paired(block, trace.text(name)))] = std::move(values);
  }
  SummaryTable table = time_summary(groups, trace.span().duration_ns(), "Instances", "Name");
  split_pairs(table, {"GridXYZ", Quantity::text});
  split_pairs(table, {"BlockXYZ", Quantity::text});
  return table;
}

}  // namespace

extern const Summary cuda_gpu_kern_gb_sum{"cuda_gpu_kern_gb_sum", "cuda_gpu_kern_gb_sum", "CUDA GPU kernels, by grid and block", make,
                                          /*on_request=*/true, "gpukerngbsum"};

}  // namespace gputrace::reports
