#include "analyzer/kernel_paces.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

KernelPaces::KernelPaces(const trace::Trace& trace, const Metrics& metrics) : trace_(trace) {
  const trace::Kernels& kernels = trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!metrics.holds(kernels.span(i)) || metrics.is_communication[kernels.name[i].value]) continue;
    Sum& sum = like_[key_of(i)][kernels.device[i]];
    sum.ns += static_cast<double>(kernels.span(i).duration_ns());
    ++sum.count;
  }
  find_paces();
}

KernelPaces::Key KernelPaces::key_of(std::size_t kernel) const {
  const trace::Kernels& kernels = trace_.kernels;
  return {kernels.name[kernel].value, kernels.grid[kernel].count(), kernels.block[kernel].count()};
}

double KernelPaces::others_ns(const Sums& sums, trace::DeviceId own) {
  std::vector<double> means;
  for (const auto& [device, sum] : sums)
    if (device != own) means.push_back(sum.mean_ns());
  if (means.empty()) return 0;
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>((means.size() - 1) / 2);
  std::nth_element(means.begin(), middle, means.end());
  return *middle;
}

void KernelPaces::find_paces() {
  struct Time {
    double own_ns = 0, others_ns = 0;  // at the others' pace
    double factor() const { return others_ns > 0 ? own_ns / others_ns : 1; }
  };
  std::map<trace::DeviceId, std::pair<Time, Time>> times;  // of all, and of the kernel that costs most against the others
  for (auto& [key, sums] : like_) {
    if (sums.size() < 2) continue;
    for (auto& [device, sum] : sums) {
      sum.others_ns = others_ns(sums, device);
      auto& [all, worst] = times[device];
      const Time time{sum.ns, sum.others_ns * sum.count};
      all.own_ns += time.own_ns, all.others_ns += time.others_ns;
      if (time.own_ns - time.others_ns > worst.own_ns - worst.others_ns) worst = time;
    }
  }
  for (const auto& [device, time] : times) {
    const auto& [all, worst] = time;
    const Time rest{all.own_ns - worst.own_ns, all.others_ns - worst.others_ns};
    paces_[device] = rest.own_ns > 0 ? std::min(all.factor(), rest.factor()) : all.factor();
  }
}

double KernelPaces::factor(std::size_t kernel) const {
  const trace::DeviceId device = trace_.kernels.device[kernel];
  const auto pace = paces_.find(device);
  if (pace == paces_.end() || pace->second < thresholds::kSlowGpuFactor) return 1;
  const auto sums = like_.find(key_of(kernel));
  if (sums == like_.end()) return 1;
  const auto own = sums->second.find(device);
  return own == sums->second.end() || own->second.others_ns <= 0 ? 1 : own->second.mean_ns() / own->second.others_ns;
}

std::optional<KernelPaces::Slowest> KernelPaces::slowest() const {
  std::optional<Slowest> slowest;
  for (const auto& [device, factor] : paces_)
    if (!slowest || factor > slowest->factor) slowest = Slowest{device, factor};
  return slowest;
}

}  // namespace gputrace::analyzer
