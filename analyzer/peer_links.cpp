#include "analyzer/peer_links.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/gpu_limits.h"
#include "analyzer/host_links.h"

namespace gputrace::analyzer {
namespace {

using trace::DeviceId;

// What joins the GPUs of a generation. Rates of one NVLink and direction: NVIDIA's data sheets of the P100 (NVLink 1), V100 (2),
// A100 (3), H100 (4), B200 (5), GeForce RTX 2080 Ti (2) and RTX 3090 (3). PCIe: 16 lanes, one direction, after line coding (PCI-SIG).
struct Generation {
  int compute_major, compute_minor;  // minor -1: any
  int nvlink_version;                // 0: no NVLink
  double nvlink_bytes_per_s;
  int most_nvlinks;
  double pcie_bytes_per_s;
};
constexpr std::array<Generation, 10> kGenerations{{{6, 0, 1, 20e9, 4, 15.75e9},
                                                   {6, 1, 0, 0, 0, 15.75e9},
                                                   {7, 0, 2, 25e9, 6, 15.75e9},
                                                   {7, 5, 2, 25e9, 2, 15.75e9},
                                                   {8, 0, 3, 25e9, 12, 31.5e9},
                                                   {8, 6, 3, 14.06e9, 4, 31.5e9},
                                                   {8, 9, 0, 0, 0, 31.5e9},
                                                   {9, 0, 4, 25e9, 18, 63.0e9},
                                                   {10, -1, 5, 50e9, 18, 121e9},
                                                   {12, -1, 0, 0, 0, 63.0e9}}};
// Of GPUs that the trace does not describe: faster than any slot in use is NVLink, slower than a slot of the oldest generation is PCIe.
constexpr double kFastestPcie = 63.0e9, kOldestPcie = 15.75e9;
// Where one pair of a machine is certainly joined by NVLink, another pair above this is too: GPUs whose pairs differ are joined by
// links of their own and not by NVLink switches, and those generations have PCIe 4.0 at most.
constexpr double kFastestPcieOfMeshes = 31.5e9;
constexpr double kUsualNvlink = 25e9;  // versions 2 to 4
constexpr int kMostUsualNvlinks = 6;
// Large copies reach this much of an NVLink's rate: 45 of 50, 88 to 93 of 100 GB/s.
constexpr double kLeastNvlinkEfficiency = 0.85, kMostNvlinkEfficiency = 0.97;

const Generation* generation_of(const trace::Trace& trace, DeviceId device) {
  const trace::Gpu* const gpu = find_gpu(trace, device);
  if (gpu == nullptr || gpu->compute_major == 0) return nullptr;
  const auto found = std::find_if(kGenerations.begin(), kGenerations.end(), [&](const Generation& generation) {
    return generation.compute_major == gpu->compute_major && (generation.compute_minor < 0 || generation.compute_minor == gpu->compute_minor);
  });
  return found == kGenerations.end() ? nullptr : &*found;
}

void set_nvlink(PeerLink& peer, int version, double of_one, int most, double best) {
  peer.kind = version > 0 ? fmt::format("NVLink {}.0", version) : "NVLink";
  peer.source = "inferred";
  const int fewest = static_cast<int>(std::ceil(best / (kMostNvlinkEfficiency * of_one)));
  const int links = std::min(most, static_cast<int>(std::floor(best / (kLeastNvlinkEfficiency * of_one))));
  if (links != fewest) return;
  peer.kind += fmt::format(" x{}", links);
  peer.link_gbps = links * of_one / 1e9;
}

void set_pcie(PeerLink& peer) {
  peer.kind = "PCIe";
  peer.source = "inferred";
}

void infer(PeerLink& peer, const Generation* generation, bool machine_has_nvlink) {
  peer.kind = "unknown";
  peer.source = "best seen";
  peer.link_gbps = peer.best_gbps;
  const double best = peer.best_gbps.value_or(0) * 1e9;
  if (best <= 0) return;
  if (generation != nullptr) {
    if (best <= generation->pcie_bytes_per_s) return set_pcie(peer);
    if (generation->nvlink_version > 0)
      set_nvlink(peer, generation->nvlink_version, generation->nvlink_bytes_per_s, generation->most_nvlinks, best);
    return;
  }
  if (best > kFastestPcie || (machine_has_nvlink && best > kFastestPcieOfMeshes))
    return set_nvlink(peer, 0, kUsualNvlink, kMostUsualNvlinks, best);
  if (best <= kOldestPcie) set_pcie(peer);
}

}  // namespace

std::vector<PeerLink> peer_traffic(const trace::Trace& trace, trace::Span window) {
  const trace::Copies& copies = trace.copies;
  std::map<std::pair<DeviceId, DeviceId>, std::pair<PeerLink, std::int64_t>> peers;  // with the time of copies whose size is known
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.source_device[i] == copies.destination_device[i]) continue;
    if (copies.end_ns[i] <= window.start_ns || copies.start_ns[i] >= window.end_ns) continue;
    auto& [peer, sized_ns] = peers[{copies.source_device[i], copies.destination_device[i]}];
    const std::int64_t ns = copies.span(i).duration_ns();
    ++peer.count;
    peer.total_ns += ns;
    if (copies.has_size(i)) peer.bytes += copies.bytes[i], sized_ns += ns;
    if (copies.bytes[i] < kLargeCopyBytes || ns <= 0) continue;
    peer.best_gbps = std::max(peer.best_gbps.value_or(0), static_cast<double>(copies.bytes[i]) / static_cast<double>(ns));
  }
  std::vector<PeerLink> list;
  for (auto& [pair, sums] : peers) {
    auto& [peer, sized_ns] = sums;
    std::tie(peer.from, peer.to) = pair;
    if (sized_ns > 0) peer.gbps = static_cast<double>(peer.bytes) / static_cast<double>(sized_ns);
    list.push_back(peer);
  }
  std::stable_sort(list.begin(), list.end(), [](const PeerLink& a, const PeerLink& b) { return a.total_ns > b.total_ns; });
  return list;
}

void find_link_kinds(const trace::Trace& trace, const Interconnect& interconnect, std::vector<PeerLink>& peers) {
  const bool machine_has_nvlink = std::any_of(peers.begin(), peers.end(), [](const PeerLink& peer) {
    return peer.best_gbps.value_or(0) * 1e9 > kFastestPcie;
  });
  for (PeerLink& peer : peers) {
    const auto recorded = interconnect.between(peer.from, peer.to);
    if (!recorded) {
      infer(peer, generation_of(trace, peer.from), machine_has_nvlink);
      continue;
    }
    peer.kind = recorded->kind;
    peer.source = "recorded";
    if (recorded->bytes_per_s > 0) peer.link_gbps = recorded->bytes_per_s / 1e9;
  }
}

}  // namespace gputrace::analyzer
