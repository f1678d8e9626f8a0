#include "analyzer/input_feeds.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::CopyKind;
using trace::DeviceId;

// Of each GPU, sizes that come from it to the host.
std::map<DeviceId, std::set<std::int64_t>> sizes_to_host(const trace::Trace& trace, const Metrics& metrics) {
  std::map<DeviceId, std::set<std::int64_t>> sizes;
  const trace::Copies& copies = trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i)
    if (copies.kind[i] == CopyKind::device_to_host && metrics.holds(copies.span(i))) sizes[copies.device[i]].insert(copies.bytes[i]);
  return sizes;
}

// Rows that begin in a step; rows are in the order of their start.
std::pair<std::size_t, std::size_t> rows_in(const trace::DeviceColumns& columns, trace::Span step) {
  const auto& starts = columns.start_ns;
  return {static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), step.start_ns) - starts.begin()),
          static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), step.end_ns) - starts.begin())};
}

}  // namespace

std::vector<InputFeed> input_feeds(const trace::Trace& trace, const Metrics& metrics) {
  std::vector<InputFeed> feeds;
  const auto to_host = sizes_to_host(trace, metrics);
  for (std::size_t s = metrics.steps.warm_up; s < metrics.steps.spans.size(); ++s) {
    std::map<DeviceId, InputFeed> step;
    std::map<DeviceId, std::int64_t> first_kernel_ns;
    const auto [first_kernel, last_kernel] = rows_in(trace.kernels, metrics.steps.spans[s]);
    for (std::size_t i = first_kernel; i < last_kernel; ++i) {
      first_kernel_ns.try_emplace(trace.kernels.device[i], trace.kernels.start_ns[i]);
      step[trace.kernels.device[i]].kernels_ns += trace.kernels.span(i).duration_ns();
    }
    const auto [first_copy, last_copy] = rows_in(trace.copies, metrics.steps.spans[s]);
    for (std::size_t i = first_copy; i < last_copy; ++i) {
      const DeviceId device = trace.copies.device[i];
      const auto before = first_kernel_ns.find(device);
      const auto sizes = to_host.find(device);
      const bool weights = sizes != to_host.end() && sizes->second.contains(trace.copies.bytes[i]);
      if (trace.copies.kind[i] != CopyKind::host_to_device || trace.copies.bytes[i] < thresholds::kLinkBoundBytes || weights) continue;
      if (before == first_kernel_ns.end() || trace.copies.start_ns[i] >= before->second) continue;
      step[device].copies.push_back(static_cast<std::uint32_t>(i));
    }
    for (auto& [device, feed] : step) {
      feed.device = device;
      if (!feed.copies.empty()) feeds.push_back(std::move(feed));
    }
  }
  return feeds;
}

}  // namespace gputrace::analyzer
