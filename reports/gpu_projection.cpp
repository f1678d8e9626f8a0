#include "reports/gpu_projection.h"

#include <algorithm>

#include "analyzer/launch_index.h"

namespace gputrace::reports {
namespace {

using trace::Span;

constexpr Span kNothing{INT64_MAX, INT64_MIN};

Span covering(Span a, Span b) { return {std::min(a.start_ns, b.start_ns), std::max(a.end_ns, b.end_ns)}; }

}  // namespace

GpuProjection::GpuProjection(const trace::Trace& trace) : threads_(trace.threads.size()) {
  const analyzer::LaunchIndex index(trace);
  const auto add = [&](const trace::DeviceColumns& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto call = index.call(columns.process[i], columns.correlation[i]);
      if (!call || trace.api_calls.thread[*call].value < 0) continue;
      const auto thread = static_cast<std::size_t>(trace.api_calls.thread[*call].value);
      threads_[thread].asked.push_back({trace.api_calls.start_ns[*call], columns.span(i)});
    }
  };
  add(trace.kernels);
  add(trace.copies);
  add(trace.fills);
  for (Thread& thread : threads_) {
    std::sort(thread.asked.begin(), thread.asked.end(),
              [](const Asked& a, const Asked& b) { return a.call_start_ns < b.call_start_ns; });
    const std::size_t n = thread.asked.size();
    thread.extent.assign(2 * n, kNothing);
    for (std::size_t i = 0; i < n; ++i) thread.extent[n + i] = thread.asked[i].activity;
    for (std::size_t i = n; i-- > 1;)
      thread.extent[i] = covering(thread.extent[2 * i], thread.extent[2 * i + 1]);
  }
}

std::optional<Projection> GpuProjection::of(trace::ThreadIndex thread, Span range) const {
  if (thread.value < 0) return std::nullopt;
  const auto& [asked, extent] = threads_[static_cast<std::size_t>(thread.value)];
  const auto first = std::lower_bound(asked.begin(), asked.end(), range.start_ns,
                                      [](const Asked& a, std::int64_t ns) { return a.call_start_ns < ns; });
  const auto end = std::upper_bound(first, asked.end(), range.end_ns,
                                    [](std::int64_t ns, const Asked& a) { return ns < a.call_start_ns; });
  if (first == end) return std::nullopt;
  Projection projection{kNothing, end - first};
  auto left = static_cast<std::size_t>(first - asked.begin()) + asked.size();
  auto right = static_cast<std::size_t>(end - asked.begin()) + asked.size();
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) projection.span = covering(projection.span, extent[left++]);
    if (right % 2 == 1) projection.span = covering(projection.span, extent[--right]);
  }
  return projection;
}

}  // namespace gputrace::reports
