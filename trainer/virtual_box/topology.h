// The machine's links as a fluid network, and the way that a copy takes through it. Links of PCIe and NVLink have one
// capacity per direction. GB/s and bytes/ns are the same number.
#pragma once

#include <vector>

#include "trainer/backend.h"
#include "trainer/virtual_box/fluid_network.h"
#include "trainer/virtual_box/machine_profile.h"

namespace trainer::virtual_box {

class Topology {
 public:
  Topology(const MachineProfile& machine, FluidNetwork& network);

  // Pinned memory: GPU link, the switch's uplink where there is one, host memory. Pageable memory is copied once more through
  // a pinned buffer of the driver's: capped at the profile's pageable rate, and three passes over host memory instead of one.
  FlowDemand host_to_device(int gpu, Memory host_memory) const;
  FlowDemand device_to_host(int gpu, Memory host_memory) const;
  // NVLink where the pair has it, or both GPUs' ports of the NVSwitch; else the common switch or the root; without peer access through a buffer in host memory.
  FlowDemand peer(int from, int to) const;
  FlowDemand host_to_host() const;
  bool peer_access(int from, int to) const;
  int host_memory_link() const { return host_memory_; }

 private:
  struct Lane { int up, down; };  // link ids: towards the root, away from it
  int switch_of(int gpu) const;   // -1: the GPU hangs on the root
  int nvlink(int from, int to) const;
  double host_rate_cap(int gpu, Memory host_memory) const;

  const MachineProfile& machine_;
  std::vector<Lane> gpu_links_, uplinks_;
  std::vector<Lane> nvlinks_;     // up: from gpus[0] to gpus[1]
  std::vector<Lane> ports_;       // of the GPUs at the NVSwitch; empty without one
  int host_memory_;
};

}  // namespace trainer::virtual_box
