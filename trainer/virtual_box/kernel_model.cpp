#include "trainer/virtual_box/kernel_model.h"

#include <algorithm>

namespace trainer::virtual_box {
namespace {

constexpr int kWarpThreads = 32, kRegisterUnit = 256;
constexpr double kNsPerUs = 1000;

double count(const Dim3& size) { return static_cast<double>(size.x) * size.y * size.z; }

double efficiency_of(WorkKind kind, const Efficiency& factors) {
  switch (kind) {
    case WorkKind::matmul: return factors.matmul;
    case WorkKind::convolution: return factors.convolution;
    case WorkKind::other: break;
  }
  return 1;
}

}  // namespace

int resident_blocks_per_sm(const GpuModel& gpu, const KernelLaunch& kernel) {
  const int warps = std::max(1, static_cast<int>((count(kernel.block) + kWarpThreads - 1) / kWarpThreads));
  const int registers_per_warp =
      (static_cast<int>(kernel.registers_per_thread) * kWarpThreads + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  const std::int64_t shared_bytes = std::int64_t{kernel.static_shared_bytes} + kernel.dynamic_shared_bytes;
  std::int64_t blocks = std::min(gpu.max_blocks_per_sm, gpu.max_threads_per_sm / (warps * kWarpThreads));
  if (registers_per_warp > 0) blocks = std::min<std::int64_t>(blocks, gpu.registers_per_sm / registers_per_warp / warps);
  if (shared_bytes > 0) blocks = std::min(blocks, std::int64_t{gpu.shared_kib_per_sm} * 1024 / shared_bytes);
  return static_cast<int>(std::max<std::int64_t>(1, blocks));
}

GpuDemand kernel_demand(const MachineProfile& machine, const KernelLaunch& kernel, double clock_share) {
  const GpuModel& gpu = machine.gpu;
  const Efficiency& factors = machine.efficiency;
  const double lanes_per_ns = gpu.sm_count * static_cast<double>(gpu.lanes_per_sm) * gpu.clock_mhz / 1000;
  const double arithmetic_ns = std::max(kernel.work.flops / (gpu.peak_gflops() * efficiency_of(kernel.work.kind, factors)),
                                        kernel.work.index_ops * factors.index_cycles / lanes_per_ns) / clock_share;
  const double memory_ns = kernel.work.bytes / (gpu.memory_gbps * factors.memory);
  const double blocks = count(kernel.grid);
  const double busy_sms = std::min(1.0, blocks / gpu.sm_count);
  GpuDemand demand;
  demand.slot_share = std::min(1.0, blocks / (static_cast<double>(gpu.sm_count) * resident_blocks_per_sm(gpu, kernel)));
  const double latency_ns = kernel.work.serial_loads * gpu.load_latency_cycles * 1000 / (gpu.clock_mhz * clock_share);
  demand.alone_ns = machine.driver.kernel_start_us * kNsPerUs + std::max(std::max(arithmetic_ns, memory_ns) / busy_sms, latency_ns);
  if (demand.alone_ns > 0) {
    demand.arithmetic_use = arithmetic_ns / demand.alone_ns;
    demand.memory_use = memory_ns / demand.alone_ns;
  }
  return demand;
}

GpuDemand memory_pass_demand(const MachineProfile& machine, double traffic_bytes) {
  const double memory_ns = traffic_bytes / (machine.gpu.memory_gbps * machine.efficiency.memory);
  GpuDemand demand;
  demand.alone_ns = machine.driver.copy_start_us * kNsPerUs + memory_ns;
  demand.memory_use = demand.alone_ns > 0 ? memory_ns / demand.alone_ns : 0;
  return demand;
}

}  // namespace trainer::virtual_box
