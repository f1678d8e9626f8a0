// A GPU whose kernels take longer than the same kernels of the other GPUs: they take as long as on the others.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Sum {
  std::int64_t ns = 0, count = 0;
  double mean_ns() const { return static_cast<double>(ns) / static_cast<double>(count); }
};

struct KernelKey {
  std::uint32_t name;
  std::int64_t blocks, threads;
  friend auto operator<=>(const KernelKey&, const KernelKey&) = default;
};

KernelKey key_of(const trace::Kernels& kernels, std::uint32_t row) {
  return {kernels.name[row].value, kernels.grid[row].count(), kernels.block[row].count()};
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::map<KernelKey, std::map<trace::DeviceId, Sum>> sums;
  const auto each_kernel = [&](auto&& visit) {
    for (Task task = 0; task < input.graph.task_count(); ++task)
      if (input.graph.kind[task] == TaskKind::kernel) visit(task, input.graph.row[task]);
  };
  each_kernel([&](Task, std::uint32_t row) {
    if (input.metrics.is_communication[kernels.name[row].value]) return;  // these wait for each other
    Sum& sum = sums[key_of(kernels, row)][kernels.device[row]];
    sum.ns += kernels.span(row).duration_ns();
    ++sum.count;
  });
  Applied applied;
  each_kernel([&](Task task, std::uint32_t row) {
    const auto devices = sums.find(key_of(kernels, row));
    if (devices == sums.end() || devices->second.size() < 2) return;
    const double own_ns = devices->second[kernels.device[row]].mean_ns();
    double best_ns = own_ns;
    for (const auto& [device, sum] : devices->second) best_ns = std::min(best_ns, sum.mean_ns());
    if (best_ns <= 0 || own_ns < thresholds::kSlowGpuFactor * best_ns) return;
    graph.scale_duration(task, best_ns / own_ns);
    ++applied.count;
  });
  applied.what = fmt::format("{} kernels take as long as on the fastest GPU", applied.count);
  return applied;
}

}  // namespace

extern const Remedy even_out_gpus;
constinit const Remedy even_out_gpus{"even-out-gpus", "kernels of a slow GPU take as long as the same kernels of the others", apply};

}  // namespace gputrace::analyzer
