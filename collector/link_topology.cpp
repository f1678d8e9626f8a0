#include "collector/link_topology.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace gputrace::collector {

namespace {

constexpr std::uint32_t kGpuEnd = 1;  // CUPTI_DEV_TYPE_GPU

Uuid as_uuid(const std::uint8_t (&bytes)[16]) {
  Uuid uuid;
  std::memcpy(uuid.data(), bytes, uuid.size());
  return uuid;
}

// CUPTI's header says GT/s, its records say MT/s (8000 for generation 3); 2 is 2.5 GT/s cut to a whole number.
std::uint32_t rate_mt_per_s(std::uint32_t rate) {
  if (rate >= 1000) return rate;
  return rate == 2 ? 2500 : rate * 1000;
}

trace::Link pcie_link(const spool::PcieRecord& record, std::string from, std::string to) {
  return {trace::LinkKind::pcie, std::move(from), std::move(to), record.generation, record.width,
          pcie_bytes_per_s(record.generation, rate_mt_per_s(record.rate), record.width)};
}

}  // namespace

std::string uuid_text(const Uuid& uuid) {
  if (std::all_of(uuid.begin(), uuid.end(), [](std::uint8_t byte) { return byte == 0; })) return "";
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  }
  return text;
}

std::int64_t pcie_bytes_per_s(std::uint32_t generation, std::uint32_t rate_mt_per_s, std::uint32_t width) {
  const std::int64_t bits = std::int64_t{rate_mt_per_s} * 1'000'000 * width;
  if (generation >= 6) return bits / 8 * 242 / 256;
  return generation >= 3 ? bits / 8 * 128 / 130 : bits / 10;
}

void LinkTopology::add(const spool::PcieRecord& record) {
  if (record.bridge != 0) {
    bridges_.try_emplace({record.domain, record.secondary_bus}, record);
  } else {
    gpus_.try_emplace(record.header.id, record);
  }
}

void LinkTopology::add(const spool::NvlinkRecord& record) {
  if (record.type[0] != kGpuEnd || record.type[1] != kGpuEnd) return;
  nvlinks_.try_emplace(std::minmax(as_uuid(record.end[0]), as_uuid(record.end[1])), record);
}

void LinkTopology::add_gpu(std::uint32_t device, const Uuid& uuid) { devices_.try_emplace(uuid, device); }

void LinkTopology::take_over(LinkTopology& part) {
  gpus_.merge(part.gpus_);
  bridges_.merge(part.bridges_);
  devices_.merge(part.devices_);
  nvlinks_.merge(part.nvlinks_);
}

std::string LinkTopology::owner_of_bus(std::uint32_t domain, std::uint32_t bus) const {
  const char* kind = bridges_.contains({domain, bus}) ? "switch" : "root";
  return fmt::format("{}:{:04x}:{:02x}", kind, domain, bus);
}

std::vector<trace::Link> LinkTopology::links() const {
  std::vector<trace::Link> links;
  for (const auto& [device, record] : gpus_) {
    links.push_back(pcie_link(record, fmt::format("gpu:{}", device), owner_of_bus(record.domain, record.upstream_bus)));
  }
  for (const auto& [bus, record] : bridges_) {
    links.push_back(
        pcie_link(record, owner_of_bus(bus.first, bus.second), owner_of_bus(bus.first, record.upstream_bus)));
  }
  for (const auto& [ends, record] : nvlinks_) {
    const auto from = devices_.find(ends.first), to = devices_.find(ends.second);
    if (from == devices_.end() || to == devices_.end()) continue;
    // CUPTI gives kB/s of all links of the pair and both directions: 50,000,000 for one NVLink 2 of 25 GB/s each way.
    const auto [low, high] = std::minmax({from->second, to->second});
    links.push_back(
        {trace::LinkKind::nvlink, fmt::format("gpu:{}", low), fmt::format("gpu:{}", high),
         static_cast<std::int32_t>(record.version), static_cast<std::int32_t>(record.count),
         static_cast<std::int64_t>(std::min<std::uint64_t>(record.bandwidth_kb_per_s, UINT32_MAX)) * 1000 / 2});
  }
  return links;
}

std::string LinkTopology::bus_location(std::uint32_t device) const {
  const auto found = gpus_.find(device);
  if (found == gpus_.end()) return "";
  return fmt::format("{:04x}:{:02x}:00.0", found->second.domain, found->second.upstream_bus);
}

}  // namespace gputrace::collector
