#include "analyzer/peer_rates.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

GpuPair pair_of(const trace::Copies& copies, std::size_t copy) { return {copies.source_device[copy], copies.destination_device[copy]}; }

std::map<GpuPair, PeerRate> peer_rates(const trace::Trace& trace, const Metrics& metrics) {
  const trace::Copies& copies = trace.copies;
  std::map<GpuPair, std::vector<double>> rates;
  std::map<GpuPair, PeerRate> pairs;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const GpuPair pair = pair_of(copies, i);
    if (copies.kind[i] != trace::CopyKind::peer_to_peer || pair.first == pair.second || copies.bytes[i] < thresholds::kLinkBoundBytes) continue;
    const auto ns = static_cast<double>(copies.span(i).duration_ns());
    if (!metrics.holds(copies.span(i)) || ns <= 0) continue;
    rates[pair].push_back(static_cast<double>(copies.bytes[i]) * 1e9 / ns);
    pairs[pair].bytes += static_cast<double>(copies.bytes[i]);
    pairs[pair].ns += ns;
    ++pairs[pair].copies;
  }
  for (auto& [pair, of] : rates) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    pairs[pair].bytes_per_s = *middle;
  }
  return pairs;
}

std::string path_in_words(const trace::Trace& trace, const GpuPair& pair, double bytes_per_s) {
  const std::string from = fmt::format("gpu:{}", pair.first.value), to = fmt::format("gpu:{}", pair.second.value);
  bool any_nvlink = false;
  for (const trace::Link& link : trace.links) {
    if (link.kind != trace::LinkKind::nvlink) continue;
    any_nvlink = true;
    const bool joins = (link.from == from && link.to == to) || (link.from == to && link.to == from);
    if (joins) return link.width > 1 ? fmt::format("{} NVLinks", link.width) : "an NVLink";
  }
  if (any_nvlink) return "no NVLink of their own: over PCIe or another GPU";
  constexpr double kPcie3 = 15.75e9, kPcie5 = 63e9;  // x16, one direction
  if (bytes_per_s <= kPcie3) return "as over PCIe";
  const int links = static_cast<int>(std::ceil(bytes_per_s / thresholds::kNvlinkBytesPerSecond));
  const std::string nvlinks = links == 1 ? "one NVLink" : fmt::format("{} NVLinks", links);
  return bytes_per_s <= 0.5 * kPcie5 ? "as over " + nvlinks + ", or PCIe 4.0 or newer" : "as over " + nvlinks;
}

}  // namespace gputrace::analyzer
