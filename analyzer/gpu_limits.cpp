#include "analyzer/gpu_limits.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

using trace::Gpu;
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

}  // namespace gputrace::analyzer
