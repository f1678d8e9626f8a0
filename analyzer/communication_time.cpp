#include "analyzer/communication_time.h"

#include <algorithm>

#include "analyzer/input_waits.h"

namespace gputrace::analyzer {
namespace {

// Rows come in the order of their start, of kernels and copies each.
void add(std::vector<trace::Span>& merged, trace::Span span) {
  if (!merged.empty() && span.start_ns <= merged.back().end_ns) {
    merged.back().end_ns = std::max(merged.back().end_ns, span.end_ns);
  } else {
    merged.push_back(span);
  }
}

std::int64_t sum_ns(const std::vector<trace::Span>& spans) {
  std::int64_t sum = 0;
  for (const trace::Span& span : spans) sum += span.duration_ns();
  return sum;
}

std::vector<trace::Span> merged_of(const std::vector<trace::Span>& a, const std::vector<trace::Span>& b) {
  std::vector<trace::Span> all, merged;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
             [](const trace::Span& x, const trace::Span& y) { return x.start_ns < y.start_ns; });
  for (const trace::Span& span : all) add(merged, span);
  return merged;
}

}  // namespace

std::map<trace::DeviceId, CommunicationTime> communication_times(const trace::Trace& trace, const Metrics& metrics) {
  std::map<trace::DeviceId, CommunicationTime> times;
  std::map<trace::DeviceId, std::vector<trace::Span>> peer_copies;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    if (!metrics.holds(trace.kernels.span(i))) continue;
    CommunicationTime& time = times[trace.kernels.device[i]];
    add(metrics.is_communication[trace.kernels.name[i].value] ? time.communication : time.compute, trace.kernels.span(i));
  }
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    if (trace.copies.kind[i] == trace::CopyKind::peer_to_peer && metrics.holds(trace.copies.span(i)))
      add(peer_copies[trace.copies.device[i]], trace.copies.span(i));
  }
  for (auto& [device, copies] : peer_copies) times[device].communication = merged_of(times[device].communication, copies);
  std::erase_if(times, [](const auto& entry) { return entry.second.communication.empty(); });
  for (auto& [device, time] : times) {
    time.communication_ns = sum_ns(time.communication);
    time.compute_ns = sum_ns(time.compute);
    time.exposed_ns = time.communication_ns;
    for (const trace::Span& span : time.communication) time.exposed_ns -= covered_ns(time.compute, span);
  }
  return times;
}

}  // namespace gputrace::analyzer
