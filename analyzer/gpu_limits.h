// What a GPU can do, from what the trace says about them.
#pragma once

#include <cstdint>
#include <optional>

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

}  // namespace gputrace::analyzer
