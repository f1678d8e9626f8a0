// Own kernels whose threads work together through shared memory, written as programs of phases: between two phases all threads of a
// block wait for each other. On the GPU a phase ends at __syncthreads(); on the host each phase runs for one thread after the
// other, block by block, so that every index of a program is tested without a GPU. What that cannot show is a race within a phase:
// in one phase no thread reads what another one writes.
//
// A Program has: kThreads; Shared (of a block) and Thread (of a thread), plain structs; start(Thread&, block, thread); and
// bool phase(int phase, Shared&, Thread&, block, thread): one thread's part of a phase, true while more follow (the same for all
// threads of a block).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/cuda/kernels/for_each_index.h"

namespace trainer::cuda {

template <class Program>
void run_blocks(const Eigen::DefaultDevice&, std::int64_t blocks, const Program& program) {
  const auto shared = std::make_unique<typename Program::Shared>();
  std::vector<typename Program::Thread> threads(Program::kThreads);
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (int thread = 0; thread < Program::kThreads; ++thread) program.start(threads[static_cast<std::size_t>(thread)], block, thread);
    bool more = true;
    for (int phase = 0; more; ++phase) {
      for (int thread = 0; thread < Program::kThreads; ++thread)
        more = program.phase(phase, *shared, threads[static_cast<std::size_t>(thread)], block, thread);
    }
  }
}

#ifdef __CUDACC__
template <class Program>
__global__ void __launch_bounds__(Program::kThreads) block_program_kernel(Program program) {
  __shared__ typename Program::Shared shared;
  typename Program::Thread own;
  const std::int64_t block = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x);
  program.start(own, block, thread);
  for (int phase = 0; program.phase(phase, shared, own, block, thread); ++phase) __syncthreads();
}

// Blocks in x only, where a grid may have 2^31 - 1.
template <class Program>
void run_blocks(const Eigen::GpuDevice& device, std::int64_t blocks, const Program& program) {
  block_program_kernel<Program><<<static_cast<unsigned>(blocks), Program::kThreads, 0, device.stream()>>>(program);
}
#endif

}  // namespace trainer::cuda
