#include "trace/gpu_counters.h"

#include <algorithm>
#include <map>

namespace gputrace::trace {
namespace {

struct Change {
  std::int64_t time_ns;
  int by;
};

// Sums of something over equal slices of the trace's span.
class Slices {
 public:
  explicit Slices(Span span) : start_ns_(span.start_ns) {
    constexpr std::int64_t kSlices = 1000, kLeastNs = 1000;
    width_ns_ = std::max(kLeastNs, span.duration_ns() / kSlices + 1);
    sums_.resize(static_cast<std::size_t>(span.duration_ns() / width_ns_ + 1));
  }

  // `amount` spread evenly from start to end.
  void add(Span span, double amount) {
    const auto duration = static_cast<double>(span.duration_ns());
    if (span.duration_ns() <= 0) return void(sums_[index(span.start_ns)] += amount);
    for (std::size_t i = index(span.start_ns); i < sums_.size() && start_of(i) < span.end_ns; ++i) {
      const std::int64_t from = std::max(span.start_ns, start_of(i)), to = std::min(span.end_ns, start_of(i + 1));
      sums_[i] += amount * static_cast<double>(to - from) / duration;
    }
  }

  // The sums times `scale`, per ns; equal neighbours are one sample.
  std::vector<CounterSample> per_ns(double scale) const {
    std::vector<CounterSample> samples;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const double value = scale * sums_[i] / static_cast<double>(width_ns_);
      if (samples.empty() || samples.back().value != value) samples.push_back({start_of(i), value});
    }
    return samples;
  }

 private:
  std::size_t index(std::int64_t time_ns) const {
    return std::min(sums_.size() - 1, static_cast<std::size_t>(std::max<std::int64_t>(0, time_ns - start_ns_) / width_ns_));
  }
  std::int64_t start_of(std::size_t i) const { return start_ns_ + static_cast<std::int64_t>(i) * width_ns_; }

  std::int64_t start_ns_, width_ns_ = 1;
  std::vector<double> sums_;
};

std::vector<CounterSample> running_sum(std::vector<Change> changes) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  std::vector<CounterSample> samples;
  int running = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    running += changes[i].by;
    const bool is_last_of_time = i + 1 == changes.size() || changes[i + 1].time_ns != changes[i].time_ns;
    if (is_last_of_time && (samples.empty() || samples.back().value != running)) samples.push_back({changes[i].time_ns, static_cast<double>(running)});
  }
  return samples;
}

// Stretches with at least one kernel running, added as time.
std::vector<CounterSample> utilization(const std::vector<CounterSample>& running, Span span) {
  Slices slices(span);
  for (std::size_t i = 0; i + 1 < running.size(); ++i) {
    const Span stretch{running[i].time_ns, running[i + 1].time_ns};
    if (running[i].value > 0) slices.add(stretch, static_cast<double>(stretch.duration_ns()));
  }
  constexpr double kPercent = 100;
  return slices.per_ns(kPercent);
}

void add_kernel_curves(const Trace& trace, Span span, std::vector<GpuCounter>& counters) {
  std::map<DeviceId, std::vector<Change>> changes;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    auto& gpu = changes[trace.kernels.device[i]];
    gpu.push_back({trace.kernels.start_ns[i], 1});
    gpu.push_back({trace.kernels.end_ns[i], -1});
  }
  for (auto& [device, gpu_changes] : changes) {
    std::vector<CounterSample> running = running_sum(std::move(gpu_changes));
    auto used = utilization(running, span);
    counters.push_back({device, "kernels running", "kernels", std::move(running)});
    counters.push_back({device, "compute utilization", "%", std::move(used)});
  }
}

void add_copy_curves(const Trace& trace, Span span, CopyKind kind, CopyKind unified, const char* name, std::vector<GpuCounter>& counters) {
  std::map<DeviceId, Slices> bytes;
  const Copies& copies = trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if ((copies.kind[i] != kind && copies.kind[i] != unified) || copies.bytes[i] <= 0) continue;
    bytes.try_emplace(copies.device[i], span).first->second.add(copies.span(i), static_cast<double>(copies.bytes[i]));
  }
  for (const auto& [device, slices] : bytes) counters.push_back({device, name, "GB/s", slices.per_ns(1)});  // bytes per ns are GB/s
}

}  // namespace

std::vector<GpuCounter> gpu_counters(const Trace& trace) {
  std::vector<GpuCounter> counters;
  const Span span = trace.span();
  add_kernel_curves(trace, span, counters);
  add_copy_curves(trace, span, CopyKind::host_to_device, CopyKind::unified_host_to_device, "PCIe host to device", counters);
  add_copy_curves(trace, span, CopyKind::device_to_host, CopyKind::unified_device_to_host, "PCIe device to host", counters);
  return counters;
}

}  // namespace gputrace::trace
