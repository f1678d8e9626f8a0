#include "analyzer/kernel_paces.h"

#include <algorithm>
#include <limits>

namespace gputrace::analyzer {

KernelPaces::KernelPaces(const trace::Trace& trace, const Metrics& metrics) : trace_(trace) {
  const trace::Kernels& kernels = trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!metrics.holds(kernels.span(i)) || metrics.is_communication[kernels.name[i].value]) continue;
    Sum& sum = like_[key_of(i)][kernels.device[i]];
    sum.ns += static_cast<double>(kernels.span(i).duration_ns());
    ++sum.count;
  }
}

KernelPaces::Key KernelPaces::key_of(std::size_t kernel) const {
  const trace::Kernels& kernels = trace_.kernels;
  return {kernels.name[kernel].value, kernels.grid[kernel].count(), kernels.block[kernel].count()};
}

double KernelPaces::best_ns(const Sums& sums) {
  double best = std::numeric_limits<double>::max();
  for (const auto& [device, sum] : sums) best = std::min(best, sum.mean_ns());
  return best;
}

double KernelPaces::factor(std::size_t kernel) const {
  const auto sums = like_.find(key_of(kernel));
  if (sums == like_.end() || sums->second.size() < 2) return 1;
  const auto own = sums->second.find(trace_.kernels.device[kernel]);
  const double best = best_ns(sums->second);
  return own == sums->second.end() || best <= 0 ? 1 : own->second.mean_ns() / best;
}

std::optional<KernelPaces::Slowest> KernelPaces::slowest() const {
  std::map<trace::DeviceId, std::pair<double, double>> times;  // own, and at the fastest GPU's pace
  for (const auto& [key, sums] : like_) {
    if (sums.size() < 2) continue;
    const double best = best_ns(sums);
    for (const auto& [device, sum] : sums) {
      times[device].first += sum.ns;
      times[device].second += best * sum.count;
    }
  }
  std::optional<Slowest> slowest;
  for (const auto& [device, time] : times) {
    const double factor = time.second > 0 ? time.first / time.second : 1;
    if (!slowest || factor > slowest->factor) slowest = Slowest{device, factor};
  }
  return slowest;
}

}  // namespace gputrace::analyzer
