#include "analyzer/charts/activity_strips.h"

#include <algorithm>
#include <map>

namespace gputrace::analyzer {
namespace {

using trace::Span;

// The time that one kind runs, by stretch. Spans come by start, so what overlaps an earlier one is seen by its end.
class BusyTime {
 public:
  explicit BusyTime(Span whole) : whole_(whole), covered_to_(whole.start_ns), busy_ns_(kStretches) {}

  void add(Span span) {
    const std::int64_t start = std::max(span.start_ns, covered_to_), end = std::min(span.end_ns, whole_.end_ns);
    if (end <= start) return;
    covered_to_ = end;
    const std::size_t last = stretch_of(end - 1);
    for (std::size_t i = stretch_of(start); i <= last; ++i) {
      busy_ns_[i] += static_cast<double>(std::min(end, start_of(i + 1)) - std::max(start, start_of(i)));
    }
  }

  float share(std::size_t i) const {
    const auto length_ns = static_cast<double>(start_of(i + 1) - start_of(i));
    return length_ns > 0 ? static_cast<float>(std::clamp(busy_ns_[i] / length_ns, 0.0, 1.0)) : 0;
  }

 private:
  // In doubles: a trace of hours times 400 stretches leaves 64 bits otherwise. Off by under a microsecond in a day.
  std::int64_t start_of(std::size_t i) const {
    if (i >= kStretches) return whole_.end_ns;
    const double length_ns = static_cast<double>(whole_.end_ns) - static_cast<double>(whole_.start_ns);
    return whole_.start_ns + static_cast<std::int64_t>(length_ns * static_cast<double>(i) / kStretches);
  }
  std::size_t stretch_of(std::int64_t ns) const {
    const double length_ns = static_cast<double>(whole_.end_ns) - static_cast<double>(whole_.start_ns);
    const double at = (static_cast<double>(ns) - static_cast<double>(whole_.start_ns)) / length_ns * kStretches;
    auto i = std::min(static_cast<std::size_t>(std::max(0.0, at)), kStretches - 1);
    while (i > 0 && start_of(i) > ns) --i;
    while (i + 1 < kStretches && start_of(i + 1) <= ns) ++i;
    return i;
  }

  Span whole_;
  std::int64_t covered_to_;
  std::vector<double> busy_ns_;
};

struct Device {
  explicit Device(Span whole) : compute(whole), graphs(whole), communication(whole), copy(whole) {}
  BusyTime compute, graphs, communication, copy;  // CUDA graphs that were recorded as a whole compute too
};

}  // namespace

std::vector<ActivityStrip> activity_strips(const trace::Trace& trace, const Metrics& metrics, Span span) {
  if (span.end_ns <= span.start_ns) return {};
  std::map<trace::DeviceId, Device> devices;
  const auto device = [&](trace::DeviceId id) -> Device& { return devices.try_emplace(id, span).first->second; };
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    Device& of = device(trace.kernels.device[i]);
    (metrics.is_communication[trace.kernels.name[i].value] ? of.communication : of.compute).add(trace.kernels.span(i));
  }
  for (std::size_t i = 0; i < trace.graph_launches.size(); ++i) {
    device(trace.graph_launches.device[i]).graphs.add(trace.graph_launches.span(i));
  }
  for (std::size_t i = 0; i < trace.copies.size(); ++i) device(trace.copies.device[i]).copy.add(trace.copies.span(i));
  std::vector<ActivityStrip> strips;
  for (const auto& [id, of] : devices) {
    ActivityStrip& strip = strips.emplace_back(ActivityStrip{id, {}});
    for (std::size_t i = 0; i < kStretches; ++i) {
      const float compute = std::min(1.0f, of.compute.share(i) + of.graphs.share(i));
      strip.stretches.push_back({compute, of.communication.share(i), of.copy.share(i)});
    }
  }
  return strips;
}

}  // namespace gputrace::analyzer
