#include "trainer/virtual_box/cupti/machine_records.h"

#include <algorithm>
#include <cstring>

namespace trainer::virtual_box {
namespace {

constexpr int kWarpThreads = 32, kMaxBlockThreads = 1024;  // of every GPU since compute capability 2.0
constexpr std::uint16_t kRootBus = 0, kPlxVendor = 0x10b5, kPlxSwitch = 0x8747;

std::uint16_t bus_of_switch(std::size_t index) { return static_cast<std::uint16_t>(16 * (index + 1)); }

// The same on every run, different for each GPU of each machine (FNV-1a).
CUuuid uuid_of(const MachineProfile& machine, int gpu) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char c : machine.name) mix(static_cast<unsigned char>(c));
  mix(static_cast<unsigned char>(gpu));
  CUuuid uuid{};
  for (char& byte : uuid.bytes) {
    mix(1);
    byte = static_cast<char>(hash >> 56);
  }
  return uuid;
}

int switch_of(const PcieModel& pcie, int gpu) {
  for (std::size_t i = 0; i < pcie.switches.size(); ++i)
    if (std::find(pcie.switches[i].gpus.begin(), pcie.switches[i].gpus.end(), gpu) != pcie.switches[i].gpus.end())
      return static_cast<int>(i);
  return -1;
}

bool has_nvlink(const MachineProfile& machine, int a, int b) {
  return std::any_of(machine.nvlinks.begin(), machine.nvlinks.end(), [=](const NvlinkEdge& edge) {
    return (edge.gpus[0] == a && edge.gpus[1] == b) || (edge.gpus[0] == b && edge.gpus[1] == a);
  });
}

bool can_access(const MachineProfile& machine, int a, int b) {
  const int common = switch_of(machine.pcie, a);
  return has_nvlink(machine, a, b) || machine.nvswitch.links > 0 || machine.pcie.peer_access == PeerAccess::all ||
         (machine.pcie.peer_access == PeerAccess::common_switch && common >= 0 && common == switch_of(machine.pcie, b));
}

void set_link(CUpti_ActivityPcie& record, const PcieModel& pcie, int lanes) {
  constexpr std::uint16_t kTransfersPerNs[] = {2, 5, 8, 16, 32, 64};  // generation 1 has 2.5: the field is whole GT/s
  record.kind = CUPTI_ACTIVITY_KIND_PCIE;
  record.pcieGeneration = static_cast<std::uint16_t>(pcie.generation);
  record.linkRate = kTransfersPerNs[std::clamp(pcie.generation, 1, 6) - 1];
  record.linkWidth = static_cast<std::uint16_t>(lanes);
}

void set_limits(CUpti_ActivityDevice5& record, const GpuModel& gpu) {
  record.numThreadsPerWarp = kWarpThreads;
  record.maxWarpsPerMultiprocessor = static_cast<std::uint32_t>(gpu.max_threads_per_sm / kWarpThreads);
  record.maxBlocksPerMultiprocessor = static_cast<std::uint32_t>(gpu.max_blocks_per_sm);
  record.maxSharedMemoryPerMultiprocessor = static_cast<std::uint32_t>(gpu.shared_kib_per_sm) * 1024;
  record.maxRegistersPerMultiprocessor = static_cast<std::uint32_t>(gpu.registers_per_sm);
  record.maxRegistersPerBlock = 65536;
  record.maxSharedMemoryPerBlock = 48 * 1024;
  record.maxThreadsPerBlock = record.maxBlockDimX = record.maxBlockDimY = kMaxBlockThreads;
  record.maxBlockDimZ = 64;
  record.maxGridDimX = 0x7fffffff;
  record.maxGridDimY = record.maxGridDimZ = 65535;
}

CUpti_ActivityNvLink4 nvlink_record(const MachineProfile& machine, const NvlinkEdge& edge) {
  CUpti_ActivityNvLink4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_NVLINK;
  record.typeDev0 = record.typeDev1 = CUPTI_DEV_TYPE_GPU;
  record.idDev0.uuidDev = uuid_of(machine, edge.gpus[0]);
  record.idDev1.uuidDev = uuid_of(machine, edge.gpus[1]);
  record.flag = CUPTI_LINK_FLAG_PEER_ACCESS;
  record.physicalNvLinkCount = static_cast<std::uint32_t>(edge.links);
  std::memset(record.portDev0, -1, sizeof(record.portDev0));
  std::memset(record.portDev1, -1, sizeof(record.portDev1));
  record.bandwidth = static_cast<std::uint64_t>(2 * edge.links * edge.gbps_per_direction * 1e6);  // kB/s, both directions
  return record;
}

}  // namespace

std::vector<CUpti_ActivityDevice5> device_records(const MachineProfile& machine, const char* name) {
  std::vector<CUpti_ActivityDevice5> records;
  const GpuModel& gpu = machine.gpu;
  for (int id = 0; id < gpu.count; ++id) {
    CUpti_ActivityDevice5 record{};
    record.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    record.flags = CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS;
    record.globalMemoryBandwidth = static_cast<std::uint64_t>(gpu.memory_gbps * 1e6);  // kB/s
    record.globalMemorySize = static_cast<std::uint64_t>(gpu.memory_mib) << 20;
    record.constantMemorySize = 64 * 1024;
    record.l2CacheSize = static_cast<std::uint32_t>(gpu.l2_kib) * 1024;
    record.coreClockRate = static_cast<std::uint32_t>(gpu.clock_mhz * 1000);  // kHz
    record.numMemcpyEngines = static_cast<std::uint32_t>(2 * gpu.copy_engines_per_direction);
    record.numMultiprocessors = static_cast<std::uint32_t>(gpu.sm_count);
    record.computeCapabilityMajor = static_cast<std::uint32_t>(gpu.compute_major);
    record.computeCapabilityMinor = static_cast<std::uint32_t>(gpu.compute_minor);
    record.id = static_cast<std::uint32_t>(id);
    record.uuid = uuid_of(machine, id);
    record.name = name;
    record.isCudaVisible = 1;
    set_limits(record, gpu);
    records.push_back(record);
  }
  return records;
}

std::vector<CUpti_ActivityPcie> pcie_records(const MachineProfile& machine) {
  std::vector<CUpti_ActivityPcie> records;
  for (int gpu = 0; gpu < machine.gpu.count; ++gpu) {
    CUpti_ActivityPcie record{};
    set_link(record, machine.pcie, machine.pcie.lanes_of(gpu));
    record.type = CUPTI_PCIE_DEVICE_TYPE_GPU;
    record.id.devId = gpu;
    const int entry = switch_of(machine.pcie, gpu);
    record.upstreamBus = entry < 0 ? kRootBus : bus_of_switch(static_cast<std::size_t>(entry));
    record.attr.gpuAttr.uuidDev = uuid_of(machine, gpu);
    std::memset(record.attr.gpuAttr.peerDev, -1, sizeof(record.attr.gpuAttr.peerDev));  // -1: no more peers
    int peers = 0;
    for (int other = 0; other < machine.gpu.count; ++other)
      if (other != gpu && can_access(machine, gpu, other)) record.attr.gpuAttr.peerDev[peers++] = other;
    records.push_back(record);
  }
  for (std::size_t i = 0; i < machine.pcie.switches.size(); ++i) {
    CUpti_ActivityPcie record{};
    set_link(record, machine.pcie, machine.pcie.switches[i].uplink_lanes);
    record.type = CUPTI_PCIE_DEVICE_TYPE_BRIDGE;
    record.id.bridgeId = static_cast<std::uint32_t>(i);
    record.upstreamBus = kRootBus;
    record.attr.bridgeAttr.secondaryBus = bus_of_switch(i);
    record.attr.bridgeAttr.deviceId = kPlxSwitch;
    record.attr.bridgeAttr.vendorId = kPlxVendor;
    records.push_back(record);
  }
  return records;
}

std::vector<CUpti_ActivityNvLink4> nvlink_records(const MachineProfile& machine) {
  std::vector<CUpti_ActivityNvLink4> records;
  for (const NvlinkEdge& edge : machine.nvlinks) records.push_back(nvlink_record(machine, edge));
  if (machine.nvswitch.links == 0) return records;
  // CUPTI names the GPUs at both ends and leaves the switch between them to a flag.
  for (int gpu = 0; gpu < machine.gpu.count; ++gpu) {
    for (int other = gpu + 1; other < machine.gpu.count; ++other) {
      records.push_back(nvlink_record(machine, {{gpu, other}, machine.nvswitch.links, machine.nvswitch.gbps_per_direction}));
      records.back().nvswitchConnected = 1;
    }
  }
  return records;
}

}  // namespace trainer::virtual_box
