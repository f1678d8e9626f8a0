#include "analyzer/nearest_bound.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

struct Times {  // of one GPU; shares of the window
  double compute = 0, communication = 0, link = 0;
};

Times times_of(const DeviceMetrics& device, double window_ns) {
  Times times;
  std::int64_t compute_ns = 0, communication_ns = 0;
  for (unsigned activity = 0; activity < 16; ++activity) {
    if ((activity & kCompute) != 0) compute_ns += device.part_ns[activity];
    if ((activity & kCommunication) != 0) communication_ns += device.part_ns[activity];
  }
  times.compute = static_cast<double>(compute_ns) / window_ns;
  times.communication = static_cast<double>(communication_ns) / window_ns;
  times.link = static_cast<double>(device.host_copy_ns) / window_ns;
  return times;
}

double busiest(const Times& times) { return std::max({times.compute, times.communication, times.link}); }

// Of the kernels' time on a GPU, the share of those that arithmetic bounds.
double arithmetic_share(const trace::Trace& trace, const Metrics& metrics, trace::DeviceId device) {
  double arithmetic_ns = 0, all_ns = 0;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    if (trace.kernels.device[i] != device || !metrics.holds(trace.kernels.span(i)) || metrics.is_communication[trace.kernels.name[i].value]) continue;
    const auto ns = static_cast<double>(trace.kernels.span(i).duration_ns());
    all_ns += ns;
    if (is_arithmetic(metrics.kernels.of(trace.kernels.name[i]))) arithmetic_ns += ns;
  }
  return all_ns > 0 ? arithmetic_ns / all_ns : 0;
}

}  // namespace

NearestBound nearest_bound(const trace::Trace& trace, const Metrics& metrics) {
  NearestBound bound;
  const auto window_ns = static_cast<double>(metrics.window.duration_ns());
  const DeviceMetrics* device = nullptr;
  for (const DeviceMetrics& it : metrics.devices)
    if (it.used && window_ns > 0 && (device == nullptr || busiest(times_of(it, window_ns)) > busiest(times_of(*device, window_ns)))) device = &it;
  if (device == nullptr) return bound;
  const Times times = times_of(*device, window_ns);
  bound.share = busiest(times);
  if (bound.share <= 0) return bound;
  const std::string of = fmt::format("{} of {} on GPU {}", percent(bound.share), step_word(metrics), device->device.value);
  if (times.communication == bound.share) {
    bound.kind = "communication";
    bound.sentence = fmt::format("The nearest bound is communication between GPUs: it runs for {}.", of);
  } else if (times.link == bound.share) {
    bound.kind = "link";
    bound.sentence = fmt::format("The nearest bound is the link to the host: copies run for {}.", of);
  } else {
    const double arithmetic = arithmetic_share(trace, metrics, device->device);
    bound.kind = arithmetic >= 0.5 ? "compute" : "memory";
    bound.sentence = fmt::format("The nearest bound is the GPU's {}: kernels compute for {}, {} of that time in {}.", arithmetic >= 0.5 ? "arithmetic" : "memory", of,
                                 percent(arithmetic >= 0.5 ? arithmetic : 1 - arithmetic),
                                 arithmetic >= 0.5 ? "matrix products, convolutions and attention" : "kernels that mostly read and write memory");
  }
  // Without faster kernels, or fewer bytes, the rest is all that can be won.
  bound.sentence += 1 - bound.share < thresholds::kInfoShare
                        ? " It is reached: only less work, or faster kernels, would shorten it."
                        : fmt::format(" It is {} away: no more than that can be won without making the work itself smaller.", percent(1 - bound.share));
  return bound;
}

}  // namespace gputrace::analyzer
