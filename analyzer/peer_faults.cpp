#include "analyzer/peer_faults.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/interconnect.h"
#include "analyzer/link_rates.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

constexpr std::size_t kEnoughCopies = 3;
// A copy that its link could do in less is bound by what it costs to start: a copy between GPUs takes about two microseconds of that.
constexpr double kLongCopyNs = 10'000;

struct Rates {
  RecordedLink link;
  double median_bytes_per_s = 0, best_bytes_per_s = 0;
};

// What joins them, and where: pairs that compare.
using Like = std::pair<std::string, std::string>;

Like like_of(const RecordedLink& link) {
  const bool is_switch = link.meets_at.starts_with("switch:");  // which of several like switches does not matter
  return {link.kind, is_switch ? "switch" : link.meets_at.empty() ? "" : "root"};
}

std::map<GpuPair, Rates> rates_of_recorded(const trace::Trace& trace, const Metrics& metrics) {
  const Interconnect interconnect(trace);
  const trace::Copies& copies = trace.copies;
  std::map<GpuPair, std::optional<RecordedLink>> links;
  std::map<GpuPair, std::vector<double>> rates;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto ns = static_cast<double>(copies.span(i).duration_ns());
    if (copies.kind[i] != trace::CopyKind::peer_to_peer || !metrics.holds(copies.span(i)) || ns <= 0) continue;
    const GpuPair pair = pair_of(copies, i);
    const auto [link, is_new] = links.try_emplace(pair);
    if (is_new) link->second = interconnect.between(pair.first, pair.second);
    if (!link->second || link->second->bytes_per_s <= 0) continue;
    const auto bytes = static_cast<double>(copies.bytes[i]);
    if (bytes * 1e9 >= kLongCopyNs * link->second->bytes_per_s) rates[pair].push_back(bytes * 1e9 / ns);
  }
  std::map<GpuPair, Rates> of_pairs;
  for (auto& [pair, of] : rates) {
    if (of.size() < kEnoughCopies) continue;
    std::sort(of.begin(), of.end());
    of_pairs[pair] = {*links[pair], of[of.size() / 2], of.back()};
  }
  return of_pairs;
}

std::set<trace::DeviceId> with_slow_host_link(const trace::Trace& trace, const Metrics& metrics) {
  std::set<trace::DeviceId> slow;
  for (const auto& [path, devices] : link_rates(trace, metrics))
    for (const auto& [device, own] : devices)
      if (is_slow(own, fastest(devices))) slow.insert(device);
  return slow;
}

}  // namespace

std::map<GpuPair, PeerFault> peer_faults(const trace::Trace& trace, const Metrics& metrics) {
  const auto pairs = rates_of_recorded(trace, metrics);
  std::map<GpuPair, PeerFault> faults;
  if (pairs.empty()) return faults;
  const auto slow_hosts = with_slow_host_link(trace, metrics);
  std::map<Like, const Rates*> best;
  for (const auto& [pair, own] : pairs) {
    const Rates*& known = best[like_of(own.link)];
    if (known == nullptr || own.median_bytes_per_s > known->median_bytes_per_s) known = &own;
  }
  for (const auto& [pair, own] : pairs) {
    const bool is_nvlink = own.link.link == trace::LinkKind::nvlink;
    if (!is_nvlink && (slow_hosts.contains(pair.first) || slow_hosts.contains(pair.second))) continue;
    const Rates& like = *best.at(like_of(own.link));
    const double link_gives = thresholds::kAssumedPcieEfficiency * own.link.bytes_per_s;
    const bool slower_than_like = like.median_bytes_per_s >= thresholds::kSlowLinkFactor * own.median_bytes_per_s &&
                                  like.best_bytes_per_s >= thresholds::kSlowLinkFactor * own.best_bytes_per_s;
    const bool around_link = is_nvlink && link_gives >= thresholds::kSlowLinkFactor * own.best_bytes_per_s;
    if (around_link) faults[pair] = {own.median_bytes_per_s, std::max(link_gives, like.median_bytes_per_s), own.link.kind, true};
    else if (slower_than_like) faults[pair] = {own.median_bytes_per_s, like.median_bytes_per_s, own.link.kind, false};
  }
  return faults;
}

}  // namespace gputrace::analyzer
