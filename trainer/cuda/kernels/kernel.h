// How a kernel's computation is written: once, for a device of Eigen's. Built for Eigen::GpuDevice it launches one kernel on a
// stream (Eigen's reductions may first launch one that sets the result to zero); built for Eigen::DefaultDevice it computes the
// same on the host, index for index, which is how it is tested where there is no GPU.
//
// Each header of this folder is a group of kernels: KERNELS<Device>() lists them by the name that ops give them, with a comment
// on what each takes: tensors; extents; scalars.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace trainer::cuda {

struct KernelCall {
  std::span<float* const> tensors;  // of the device; inputs, then outputs
  std::span<const std::int64_t> extents;
  std::span<const float> scalars;
};

template <class Device>
struct Kernel {
  std::string_view name, variant;
  void (*run)(const Device& device, const KernelCall& call);
};

template <class Device>
using KernelList = std::vector<Kernel<Device>>;

}  // namespace trainer::cuda
