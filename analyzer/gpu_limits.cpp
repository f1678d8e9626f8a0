#include "analyzer/gpu_limits.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::Gpu;
using trace::Link;
using trace::Trace;

int lanes_per_sm(int major, int minor) {
  switch (major) {
    case 3: return 192;
    case 5: return 128;
    case 6: return minor == 0 ? 64 : 128;
    case 7: return 64;
    case 8: return minor == 0 ? 64 : 128;
    case 9: case 10: case 11: case 12: return 128;
    default: return 0;
  }
}

template <class T>
T or_else(T captured, T otherwise) { return captured > 0 ? captured : otherwise; }

struct CommonLink {
  const char* name;
  double bytes_per_s;  // raw rate of one direction after line coding (PCI-SIG: 5 GT/s 8b/10b, 8 to 32 GT/s 128b/130b)
};
constexpr std::array<CommonLink, 7> kCommonLinks{{{"PCIe 3.0 x4", 3.94e9}, {"PCIe 3.0 x8", 7.88e9}, {"PCIe 3.0 x16", 15.75e9},
                                                  {"PCIe 4.0 x16", 31.5e9}, {"PCIe 5.0 x16", 63.0e9}, {"PCIe 6.0 x16", 121e9},
                                                  {"NVLink-C2C", 450e9}}};

std::string link_name(const Link& link) {
  return link.kind == trace::LinkKind::pcie ? fmt::format("PCIe {}.0 x{}", link.generation, link.width)
                                            : fmt::format("NVLink {} x{}", link.generation, link.width);
}

// Walks from the GPU towards the root and keeps the narrowest edge.
std::optional<LinkLimit> recorded_limit(const Trace& trace, trace::DeviceId device) {
  std::unordered_map<std::string, const Link*> up;
  for (const Link& link : trace.links) {
    if (link.kind == trace::LinkKind::pcie && link.bytes_per_s > 0) up.emplace(link.from, &link);
  }
  std::optional<LinkLimit> narrowest;
  std::string at = fmt::format("gpu:{}", device.value);
  for (std::size_t hops = 0; hops <= trace.links.size(); ++hops) {
    const auto edge = up.find(at);
    if (edge == up.end()) break;
    const auto rate = static_cast<double>(edge->second->bytes_per_s);
    if (!narrowest || rate < narrowest->bytes_per_s) narrowest = LinkLimit{rate, "recorded: " + link_name(*edge->second)};
    at = edge->second->to;
  }
  return narrowest;
}

double fastest_copy(const Trace& trace, trace::DeviceId device, trace::CopyKind direction) {
  double fastest = 0;
  const trace::Copies& copies = trace.copies;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies.device[i] != device || copies.kind[i] != direction || copies.bytes[i] < kLargeCopyBytes) continue;
    const std::int64_t duration_ns = copies.span(i).duration_ns();
    if (duration_ns > 0) fastest = std::max(fastest, static_cast<double>(copies.bytes[i]) * 1e9 / static_cast<double>(duration_ns));
  }
  return fastest;
}

}  // namespace

const Gpu* find_gpu(const Trace& trace, trace::DeviceId device) {
  const auto found = std::find_if(trace.gpus.begin(), trace.gpus.end(), [&](const Gpu& gpu) { return gpu.device == device; });
  return found == trace.gpus.end() ? nullptr : &*found;
}

std::optional<double> peak_flops(const Gpu& gpu) {
  const int lanes = lanes_per_sm(gpu.compute_major, gpu.compute_minor);
  if (lanes == 0 || gpu.sm_count <= 0 || gpu.clock_hz <= 0) return std::nullopt;
  return 2.0 * lanes * gpu.sm_count * static_cast<double>(gpu.clock_hz);
}

int resident_blocks_per_sm(const Gpu& gpu, std::int64_t threads_per_block, int registers_per_thread,
                           std::int64_t shared_bytes_per_block) {
  constexpr std::int64_t kRegisterUnit = 256, kWarp = 32;
  const std::int64_t warps = std::max<std::int64_t>(1, (threads_per_block + kWarp - 1) / kWarp);
  std::int64_t blocks = or_else(gpu.max_blocks_per_sm, 32);
  blocks = std::min(blocks, or_else<std::int64_t>(gpu.max_threads_per_sm, 2048) / (warps * kWarp));
  const std::int64_t registers_per_warp = (registers_per_thread * kWarp + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  if (registers_per_warp > 0) {
    blocks = std::min(blocks, or_else<std::int64_t>(gpu.registers_per_sm, 65536) / (registers_per_warp * warps));
  }
  if (shared_bytes_per_block > 0) {
    blocks = std::min(blocks, or_else<std::int64_t>(gpu.shared_bytes_per_sm, 65536) / shared_bytes_per_block);
  }
  return static_cast<int>(std::max<std::int64_t>(1, blocks));
}

std::optional<double> gpu_fill(const Trace& trace, std::size_t kernel) {
  const trace::Kernels& kernels = trace.kernels;
  const Gpu* gpu = find_gpu(trace, kernels.device[kernel]);
  if (gpu == nullptr || gpu->sm_count <= 0) return std::nullopt;
  const std::int64_t shared_bytes = std::int64_t{kernels.static_shared_bytes[kernel]} + kernels.dynamic_shared_bytes[kernel];
  const int per_sm = resident_blocks_per_sm(*gpu, kernels.block[kernel].count(), kernels.registers_per_thread[kernel], shared_bytes);
  const double slots = static_cast<double>(gpu->sm_count) * per_sm;
  return std::min(1.0, static_cast<double>(kernels.grid[kernel].count()) / slots);
}

std::optional<LinkLimit> common_link_near(double bytes_per_s) {
  for (const CommonLink& link : kCommonLinks) {
    if (bytes_per_s > link.bytes_per_s) continue;
    if (bytes_per_s < thresholds::kAtLinkRate * link.bytes_per_s) return std::nullopt;
    return LinkLimit{link.bytes_per_s, fmt::format("the rate of a {} link", link.name)};
  }
  return std::nullopt;
}

std::optional<LinkLimit> host_link_limit(const Trace& trace, trace::DeviceId device, trace::CopyKind direction) {
  if (auto recorded = recorded_limit(trace, device)) return recorded;
  const double fastest = fastest_copy(trace, device, direction);
  if (fastest <= 0) return std::nullopt;
  if (auto common = common_link_near(fastest)) return common;
  return LinkLimit{fastest, "best seen"};
}

}  // namespace gputrace::analyzer
