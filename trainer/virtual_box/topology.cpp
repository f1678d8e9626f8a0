#include "trainer/virtual_box/topology.h"

#include <algorithm>
#include <limits>

namespace trainer::virtual_box {
namespace {

constexpr double kUncapped = std::numeric_limits<double>::infinity();
constexpr double kPageablePasses = 3;  // the processor reads the pageable and writes the pinned buffer, the engine reads that
constexpr double kBouncePasses = 2;    // written by one GPU, read by the other

double passes(Memory host_memory) { return host_memory == Memory::pageable ? kPageablePasses : 1; }

}  // namespace

Topology::Topology(const MachineProfile& machine, FluidNetwork& network) : machine_(machine) {
  const auto lane = [&](double raw_gbps) {
    const double gbps = raw_gbps * machine.efficiency.pcie;
    const int up = network.add_link(gbps);
    return Lane{up, network.add_link(gbps)};
  };
  const auto pcie_lane = [&](int lanes) { return lane(pcie_gbps(machine.pcie.generation, lanes)); };
  for (int gpu = 0; gpu < machine.gpu.count; ++gpu) gpu_links_.push_back(pcie_lane(machine.pcie.lanes_of(gpu)));
  for (const PcieSwitch& entry : machine.pcie.switches) uplinks_.push_back(pcie_lane(entry.uplink_lanes));
  for (const NvlinkEdge& edge : machine.nvlinks) nvlinks_.push_back(lane(edge.links * edge.gbps_per_direction));
  if (machine.nvswitch.links > 0)
    for (int gpu = 0; gpu < machine.gpu.count; ++gpu) ports_.push_back(lane(machine.nvswitch.port_gbps()));
  host_memory_ = network.add_link(machine.host.memory_gbps * machine.efficiency.cpu);
}

int Topology::switch_of(int gpu) const {
  const auto& switches = machine_.pcie.switches;
  for (std::size_t i = 0; i < switches.size(); ++i)
    if (std::find(switches[i].gpus.begin(), switches[i].gpus.end(), gpu) != switches[i].gpus.end()) return static_cast<int>(i);
  return -1;
}

int Topology::nvlink(int from, int to) const {
  for (std::size_t i = 0; i < nvlinks_.size(); ++i) {
    const auto& gpus = machine_.nvlinks[i].gpus;
    if (gpus[0] == from && gpus[1] == to) return nvlinks_[i].up;
    if (gpus[0] == to && gpus[1] == from) return nvlinks_[i].down;
  }
  return -1;
}

double Topology::host_rate_cap(int gpu, Memory host_memory) const {
  double cap = host_memory == Memory::pageable ? machine_.host.pageable_gbps : kUncapped;
  const auto& far = machine_.pcie.far_gpus;
  if (std::find(far.begin(), far.end(), gpu) != far.end())
    cap = std::min(cap, pcie_gbps(machine_.pcie.generation, machine_.pcie.lanes_of(gpu)) * machine_.efficiency.pcie) * kFarSocketShare;
  return cap;
}

FlowDemand Topology::host_to_device(int gpu, Memory host_memory) const {
  FlowDemand way{host_rate_cap(gpu, host_memory), {}};
  way.links.push_back({host_memory_, passes(host_memory)});
  if (const int uplink = switch_of(gpu); uplink >= 0) way.links.push_back({uplinks_[uplink].down});
  way.links.push_back({gpu_links_[gpu].down});
  return way;
}

FlowDemand Topology::device_to_host(int gpu, Memory host_memory) const {
  FlowDemand way{host_rate_cap(gpu, host_memory), {}};
  way.links.push_back({gpu_links_[gpu].up});
  if (const int uplink = switch_of(gpu); uplink >= 0) way.links.push_back({uplinks_[uplink].up});
  way.links.push_back({host_memory_, passes(host_memory)});
  return way;
}

FlowDemand Topology::peer(int from, int to) const {
  const int direct = nvlink(from, to);
  if (machine_.peer_enabled && direct >= 0) return {kUncapped, {{direct}}};
  if (machine_.peer_enabled && !ports_.empty()) return {kUncapped, {{ports_[from].up}, {ports_[to].down}}};
  FlowDemand way{kUncapped, {{gpu_links_[from].up}, {gpu_links_[to].down}}};
  const int out = switch_of(from), in = switch_of(to);
  const bool access = peer_access(from, to);
  if (access && out >= 0 && out == in) return way;
  if (out >= 0) way.links.push_back({uplinks_[out].up});
  if (in >= 0) way.links.push_back({uplinks_[in].down});
  if (!access) way.links.push_back({host_memory_, kBouncePasses});
  return way;
}

FlowDemand Topology::host_to_host() const { return {kUncapped, {{host_memory_, 2}}}; }

bool Topology::peer_access(int from, int to) const {
  if (!machine_.peer_enabled) return false;
  if (nvlink(from, to) >= 0 || !ports_.empty() || machine_.pcie.peer_access == PeerAccess::all) return true;
  return machine_.pcie.peer_access == PeerAccess::common_switch && switch_of(from) >= 0 && switch_of(from) == switch_of(to);
}

}  // namespace trainer::virtual_box
