// The machine's interconnect from CUPTI's PCIE and NVLINK records. A GPU sits on the bus `upstream_bus`; a bridge
// joins its `upstream_bus` to the bus behind it, `secondary_bus`, by which it is named: "gpu:0" - "switch:0000:06" -
// "root:0000:00".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collector/spool_layout.h"
#include "trace/trace.h"

namespace gputrace::collector {

using Uuid = std::array<std::uint8_t, 16>;

std::string uuid_text(const Uuid& uuid);  // "0457dcbe-d8c5-e5a2-5b99-1a7d86802bdb"; "" where all zero

class LinkTopology {
 public:
  // Repeated records (one process each) count once.
  void add(const spool::PcieRecord& record);
  void add(const spool::NvlinkRecord& record);
  void add_gpu(std::uint32_t device, const Uuid& uuid);

  void take_over(LinkTopology& part);  // what both have stays as it is here

  // Each PCIe link is that of its lower end. NVLinks between GPUs that are not known by UUID are left out.
  std::vector<trace::Link> links() const;
  std::string bus_location(std::uint32_t device) const;  // "0000:06:00.0"; "": not captured

 private:
  std::string owner_of_bus(std::uint32_t domain, std::uint32_t bus) const;

  std::map<std::uint32_t, spool::PcieRecord> gpus_;                               // by device
  std::map<std::pair<std::uint32_t, std::uint32_t>, spool::PcieRecord> bridges_;  // by domain and secondary bus
  std::map<Uuid, std::uint32_t> devices_;
  std::map<std::pair<Uuid, Uuid>, spool::NvlinkRecord> nvlinks_;
};

// One direction, after line coding; 0 where rate or width is unknown. PCIe 1 and 2 send 8 bits as 10, 3 to 5 send 128
// as 130, 6 sends 242 of each 256 bytes as payload of its FLITs (PCI Express Base Specification, 2.5 to 64 GT/s).
std::int64_t pcie_bytes_per_s(std::uint32_t generation, std::uint32_t rate_mt_per_s, std::uint32_t width);

}  // namespace gputrace::collector
