#include "analyzer/host_reduction.h"

#include <algorithm>

#include "analyzer/host_links.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::CopyKind;
using trace::DeviceId;

struct Sizes {  // of one GPU, by size: copies to the host and from it
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> counts;
  double down_bytes = 0, matched_bytes = 0;
};

bool is_considered(const trace::Trace& trace, const Metrics& metrics, std::size_t copy) {
  const CopyKind kind = trace.copies.kind[copy];
  return (kind == CopyKind::device_to_host || kind == CopyKind::host_to_device) && trace.copies.has_size(copy) && metrics.holds(trace.copies.span(copy));
}

bool exchange_among_themselves(const trace::Trace& trace, const Metrics& metrics) {
  for (std::size_t i = 0; i < trace.copies.size(); ++i)
    if (trace.copies.kind[i] == CopyKind::peer_to_peer && metrics.holds(trace.copies.span(i))) return true;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i)
    if (metrics.is_communication[trace.kernels.name[i].value] && metrics.holds(trace.kernels.span(i))) return true;
  return false;
}

std::map<DeviceId, Sizes> sizes_by_gpu(const trace::Trace& trace, const Metrics& metrics) {
  std::map<DeviceId, Sizes> sizes;
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    if (!is_considered(trace, metrics, i)) continue;
    auto& [down, up] = sizes[trace.copies.device[i]].counts[trace.copies.bytes[i]];
    ++(trace.copies.kind[i] == CopyKind::device_to_host ? down : up);
  }
  for (auto& [device, of] : sizes) {
    for (const auto& [bytes, counts] : of.counts) {
      of.down_bytes += static_cast<double>(counts.first) * static_cast<double>(bytes);
      of.matched_bytes += static_cast<double>(std::min(counts.first, counts.second)) * static_cast<double>(bytes);
    }
  }
  return sizes;
}

}  // namespace

double HostReduction::bytes_per_gpu() const {
  double most = 0;
  for (const auto& [device, sum] : bytes) most = std::max(most, sum);
  return most;
}

std::optional<HostReduction> find_host_reduction(const trace::Trace& trace, const Metrics& metrics) {
  std::size_t computing = 0;
  for (const DeviceMetrics& device : metrics.devices) computing += device.kernel_ns > 0 ? 1 : 0;
  if (computing < 2 || exchange_among_themselves(trace, metrics)) return std::nullopt;
  const auto sizes = sizes_by_gpu(trace, metrics);
  HostReduction found;
  for (const DeviceMetrics& device : metrics.devices) {
    if (device.kernel_ns == 0) continue;
    const auto of = sizes.find(device.device);
    // Results that are looked at, a few bytes a step, are no gradients.
    if (of == sizes.end() || of->second.down_bytes < thresholds::kReadbackBytes * metrics.step_count) return std::nullopt;
    if (of->second.matched_bytes < thresholds::kSameSizesShare * of->second.down_bytes) return std::nullopt;
    found.bytes[device.device] = of->second.matched_bytes;
  }
  found.is_part.resize(trace.copies.size());
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    if (!is_considered(trace, metrics, i) || !found.bytes.contains(trace.copies.device[i])) continue;
    const auto& [down, up] = sizes.at(trace.copies.device[i]).counts.at(trace.copies.bytes[i]);
    if (down == 0 || up == 0) continue;
    found.is_part[i] = true;
    ++found.copies;
    found.ns += static_cast<double>(trace.copies.span(i).duration_ns());
  }
  return found;
}

double exchange_rate(const trace::Trace& trace, DeviceId device) {
  double nvlink = 0;
  for (const trace::Link& link : trace.links)
    if (link.kind == trace::LinkKind::nvlink && link.from.starts_with("gpu:") && link.to.starts_with("gpu:")) nvlink = std::max(nvlink, static_cast<double>(link.bytes_per_s));
  if (nvlink > 0) return nvlink * thresholds::kAssumedPcieEfficiency;
  const auto limit = host_link_limit(trace, device, CopyKind::device_to_host);
  return limit ? 0.5 * limit->pinned_bytes_per_s() : 0;
}

}  // namespace gputrace::analyzer
