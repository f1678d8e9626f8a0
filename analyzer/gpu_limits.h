// What a GPU and its link can do, from what the trace says about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/trace.h"

namespace gputrace::analyzer {

const trace::Gpu* find_gpu(const trace::Trace& trace, trace::DeviceId device);  // nullptr: not captured

// Single-precision peak: SMs x lanes per SM x 2 x clock. Lanes per SM by compute capability: CUDA C++ Programming Guide, table
// of arithmetic throughput. nullopt where a figure is missing or the capability is unknown.
std::optional<double> peak_flops(const trace::Gpu& gpu);

// Blocks that one SM holds at a time, by threads, blocks, registers and shared memory; limits that the trace lacks are taken
// from the compute capability's generation (2048 threads, 64 Ki registers, 64 KiB shared memory). At least 1.
int resident_blocks_per_sm(const trace::Gpu& gpu, std::int64_t threads_per_block, int registers_per_thread,
                           std::int64_t shared_bytes_per_block);

// Share of the GPU's resident blocks that a kernel needs, at most 1. nullopt where the number of SMs is not captured.
std::optional<double> gpu_fill(const trace::Trace& trace, std::size_t kernel);

struct LinkLimit {
  double bytes_per_s = 0;
  std::string source;  // "recorded: PCIe 3.0 x8", "the rate of a PCIe 4.0 x16 link", "best seen"
};

// A copy from this size on shows what a link can do: its start takes a hundredth of its time or less.
inline constexpr std::int64_t kLargeCopyBytes = 1 << 20;

// One direction of the link between a GPU and the host: the narrowest recorded edge from the GPU to the root; without any, the
// smallest common PCIe link whose raw rate the fastest copies stay under, if they reach thresholds::kAtLinkRate of it;
// else the fastest copy seen. nullopt where the trace has no large copy over that link.
std::optional<LinkLimit> host_link_limit(const trace::Trace& trace, trace::DeviceId device, trace::CopyKind direction);
// The common PCIe link that a rate comes near, as above; nullopt where it comes near none.
std::optional<LinkLimit> common_link_near(double bytes_per_s);

}  // namespace gputrace::analyzer
