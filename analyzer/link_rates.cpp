#include "analyzer/link_rates.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/input_waits.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

namespace {

using trace::CopyKind;
using trace::DeviceId;

constexpr std::size_t kEnoughAlone = 3;

bool is_measured(const trace::Copies& copies, std::size_t i, trace::Span window) {
  return (copies.kind[i] == CopyKind::host_to_device || copies.kind[i] == CopyKind::device_to_host) &&
         copies.bytes[i] >= thresholds::kLinkBoundBytes && copies.start_ns[i] >= window.start_ns && copies.end_ns[i] <= window.end_ns;
}

// What each GPU hangs on: "switch:..." where it shares an uplink, "" where it has the root to itself.
std::map<DeviceId, std::string> switches(const trace::Trace& trace) {
  std::map<DeviceId, std::string> parents;
  for (const trace::Link& link : trace.links) {
    if (link.kind != trace::LinkKind::pcie || !link.from.starts_with("gpu:")) continue;
    parents[DeviceId{std::atoi(link.from.c_str() + 4)}] = link.to.starts_with("switch:") ? link.to : "";
  }
  return parents;
}

bool share_uplink(const std::map<DeviceId, std::string>& parents, DeviceId a, DeviceId b) {
  const auto of_a = parents.find(a), of_b = parents.find(b);
  if (of_a == parents.end() || of_b == parents.end()) return true;
  return !of_a->second.empty() && of_a->second == of_b->second;
}

void merge(std::vector<trace::Span>& spans) {
  std::sort(spans.begin(), spans.end(), [](const trace::Span& a, const trace::Span& b) { return a.start_ns < b.start_ns; });
  std::size_t kept = 0;
  for (const trace::Span& span : spans) {
    if (kept > 0 && span.start_ns <= spans[kept - 1].end_ns) {
      spans[kept - 1].end_ns = std::max(spans[kept - 1].end_ns, span.end_ns);
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
}

struct Traffic {
  double bytes = 0, ns = 0;
  std::size_t copies = 0;
  void add(std::int64_t more_bytes, std::int64_t more_ns) {
    bytes += static_cast<double>(more_bytes);
    ns += static_cast<double>(more_ns);
    ++copies;
  }
  double bytes_per_s() const { return ns > 0 ? bytes * 1e9 / ns : 0; }
};

}  // namespace

CopyPath path_of(const trace::Copies& copies, std::size_t copy) {
  return {copies.kind[copy], copies.source_memory[copy], copies.destination_memory[copy]};
}

std::map<CopyPath, std::map<DeviceId, LinkRate>> link_rates(const trace::Trace& trace, const Metrics& metrics) {
  const trace::Copies& copies = trace.copies;
  const auto parents = switches(trace);
  std::map<CopyKind, std::map<DeviceId, std::vector<trace::Span>>> busy;
  for (std::size_t i = 0; i < copies.size(); ++i)
    if (is_measured(copies, i, metrics.window)) busy[copies.kind[i]][copies.device[i]].push_back(copies.span(i));
  for (auto& [kind, devices] : busy)
    for (auto& [device, spans] : devices) merge(spans);

  std::map<CopyPath, std::map<DeviceId, std::pair<Traffic, Traffic>>> traffic;  // alone, all
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (!is_measured(copies, i, metrics.window)) continue;
    auto& [alone, all] = traffic[path_of(copies, i)][copies.device[i]];
    all.add(copies.bytes[i], copies.span(i).duration_ns());
    const auto& devices = busy[copies.kind[i]];
    const bool beside = std::any_of(devices.begin(), devices.end(), [&](const auto& other) {
      return other.first != copies.device[i] && share_uplink(parents, copies.device[i], other.first) && covered_ns(other.second, copies.span(i)) > 0;
    });
    if (!beside) alone.add(copies.bytes[i], copies.span(i).duration_ns());
  }
  std::map<CopyPath, std::map<DeviceId, LinkRate>> rates;
  for (const auto& [path, devices] : traffic) {
    for (const auto& [device, sums] : devices) {
      const auto& [alone, all] = sums;
      LinkRate& rate = rates[path][device];
      rate.bytes_per_s = alone.copies >= kEnoughAlone ? alone.bytes_per_s() : all.bytes_per_s();
      if (alone.copies >= kEnoughAlone) continue;
      for (const auto& [other, spans] : busy[std::get<0>(path)])
        if (other != device && share_uplink(parents, device, other)) ++rate.shared_by;
    }
  }
  return rates;
}

bool is_slow(const LinkRate& own, const LinkRate& best) {
  if (own.bytes_per_s <= 0) return false;
  // The best rate may have been measured among others too; then it would be higher still.
  return best.bytes_per_s >= std::max<double>(thresholds::kSlowLinkFactor, own.shared_by > 1 ? 1.25 * own.shared_by : 0) * own.bytes_per_s;
}

const LinkRate& fastest(const std::map<DeviceId, LinkRate>& devices) {
  return std::max_element(devices.begin(), devices.end(), [](const auto& a, const auto& b) { return a.second.bytes_per_s < b.second.bytes_per_s; })->second;
}

}  // namespace gputrace::analyzer
