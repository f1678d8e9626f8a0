#include "analyzer/host_links.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyzer/host_memory.h"
#include "analyzer/interconnect.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::CopyKind;
using trace::DeviceId;
using trace::MemoryKind;

struct CommonLink {
  const char* name;
  double bytes_per_s;  // raw rate of one direction after line coding (PCI-SIG: 5 GT/s 8b/10b, 8 to 32 GT/s 128b/130b)
};
constexpr std::array<CommonLink, 7> kCommonLinks{{{"PCIe 3.0 x4", 3.94e9}, {"PCIe 3.0 x8", 7.88e9}, {"PCIe 3.0 x16", 15.75e9},
                                                  {"PCIe 4.0 x16", 31.5e9}, {"PCIe 5.0 x16", 63.0e9}, {"PCIe 6.0 x16", 121e9},
                                                  {"NVLink-C2C", 450e9}}};

// The common link that a rate comes near; nullopt where it comes near none.
std::optional<LinkLimit> common_link_near(double bytes_per_s) {
  for (const CommonLink& link : kCommonLinks) {
    if (bytes_per_s > link.bytes_per_s) continue;
    if (bytes_per_s < thresholds::kAtLinkRate * link.bytes_per_s) return std::nullopt;
    return LinkLimit{link.bytes_per_s, fmt::format("the rate of a {} link", link.name), LinkLimit::Kind::inferred};
  }
  return std::nullopt;
}

}  // namespace

double LinkLimit::pinned_bytes_per_s() const {
  const bool is_raw = kind == Kind::recorded || kind == Kind::inferred;
  return is_raw ? thresholds::kAssumedPcieEfficiency * bytes_per_s : bytes_per_s;
}

std::optional<LinkWay> link_way(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device: case CopyKind::host_to_array: case CopyKind::unified_host_to_device: return LinkWay::to_device;
    case CopyKind::device_to_host: case CopyKind::array_to_host: case CopyKind::unified_device_to_host: return LinkWay::from_device;
    default: return std::nullopt;
  }
}

HostLinks::HostLinks(const trace::Trace& trace) : HostLinks(trace, Interconnect(trace)) {}

HostLinks::HostLinks(const trace::Trace& trace, const Interconnect& interconnect) {
  const trace::Copies& copies = trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto way = link_way(copies.kind[i]);
    const std::int64_t ns = copies.span(i).duration_ns();
    if (!way) continue;
    const DeviceId device = copies.device[i];
    if (const trace::Link* link = interconnect.narrowest(device))
      recorded_.try_emplace(device, LinkLimit{static_cast<double>(link->bytes_per_s), "recorded: " + link_kind(*link), LinkLimit::Kind::recorded});
    if (copies.bytes[i] < kLargeCopyBytes || ns <= 0) continue;
    const double rate = static_cast<double>(copies.bytes[i]) * 1e9 / static_cast<double>(ns);
    const MemoryKind memory = memory_of_copy(copies, i);
    if (memory == MemoryKind::pinned) pinned_bytes_per_s_[device] = std::max(pinned_bytes_per_s_[device], rate);
    if (Fastest& fastest = fastest_[{device, *way}]; rate > fastest.bytes_per_s) fastest = {rate, memory == MemoryKind::pageable};
  }
}

std::optional<LinkLimit> HostLinks::limit(DeviceId device, CopyKind direction) const {
  const auto way = link_way(direction);
  if (!way) return std::nullopt;
  if (const auto recorded = recorded_.find(device); recorded != recorded_.end()) return recorded->second;
  if (const auto pinned = pinned_bytes_per_s_.find(device); pinned != pinned_bytes_per_s_.end())
    if (auto common = common_link_near(pinned->second)) return common;
  const auto fastest = fastest_.find({device, *way});
  if (fastest == fastest_.end()) return std::nullopt;
  const auto& [bytes_per_s, is_pageable] = fastest->second;
  return is_pageable ? LinkLimit{bytes_per_s, "best seen, of pageable memory", LinkLimit::Kind::seen_pageable}
                     : LinkLimit{bytes_per_s, "best seen", LinkLimit::Kind::seen};
}

std::optional<LinkLimit> host_link_limit(const trace::Trace& trace, DeviceId device, CopyKind direction) {
  return HostLinks(trace).limit(device, direction);
}

}  // namespace gputrace::analyzer
