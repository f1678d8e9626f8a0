// Own element-wise kernels: body(i) for every index, on the GPU by a kernel, on the host by a loop.
#pragma once

#include <algorithm>
#include <cstdint>

#include <unsupported/Eigen/CXX11/Tensor>

#ifdef __CUDACC__
#define TRAINER_BOTH __host__ __device__
#else
#define TRAINER_BOTH
#endif

namespace trainer::cuda {

template <class Body>
void for_each_index(const Eigen::DefaultDevice&, std::int64_t count, const Body& body) {
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

#ifdef __CUDACC__
template <class Body>
__global__ void __launch_bounds__(256) for_each_index_kernel(std::int64_t count, Body body) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) body(i);
}

template <class Body>
void for_each_index(const Eigen::GpuDevice& device, std::int64_t count, const Body& body) {
  constexpr std::int64_t kThreads = 256, kBlocksPerMultiprocessor = 8;
  const std::int64_t fit = device.getNumGpuMultiProcessors() * kBlocksPerMultiprocessor;
  const std::int64_t blocks = std::clamp<std::int64_t>((count + kThreads - 1) / kThreads, 1, std::max<std::int64_t>(fit, 1));
  for_each_index_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(kThreads), 0, device.stream()>>>(count, body);
}
#endif

}  // namespace trainer::cuda
