// How long a kernel takes and how much of a GPU it needs, from what it has to do: a roofline with occupancy.
#pragma once

#include "trainer/backend.h"
#include "trainer/virtual_box/machine_profile.h"

namespace trainer::virtual_box {

// What a kernel (or a fill, or a copy within the device) asks of its GPU.
struct GpuDemand {
  double slot_share = 0;    // 0 to 1: blocks / blocks that the GPU holds at once; kernels run together while these fit
  double alone_ns = 0;      // duration with the GPU to itself, fixed start cost included
  double arithmetic_use = 0, memory_use = 0;  // 0 to 1: shares of the GPU's rates that it takes at that pace
};

// Blocks of this shape that a multiprocessor holds at once, at least 1. From the limits in the CUDA C++ Programming Guide,
// "Compute Capabilities": threads (whole warps), blocks, registers (allocated per warp, 256 at a time), shared memory.
int resident_blocks_per_sm(const GpuModel& gpu, const KernelLaunch& kernel);

// alone = start + max(max(flops / (peak * efficiency), bytes / (bandwidth * efficiency), index_ops * index_cycles / (lanes * clock))
//         / min(1, blocks / multiprocessors), serial_loads * load latency). Arithmetic of WorkKind::other runs at the peak: memory bounds such kernels.
// clock_share: of the profile's clock, above 0; the memory's rate does not depend on it.
GpuDemand kernel_demand(const MachineProfile& machine, const KernelLaunch& kernel, double clock_share = 1);

// A pass over the device's memory that moves `traffic_bytes` (a copy reads and writes) and needs no slots.
GpuDemand memory_pass_demand(const MachineProfile& machine, double traffic_bytes);

}  // namespace trainer::virtual_box
