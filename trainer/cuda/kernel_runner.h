// Launches kernels by the name that ops give them, on one stream.
#pragma once

#include <memory>
#include <string_view>

#include <cuda_runtime_api.h>

#include "trainer/cuda/kernels/kernel.h"

namespace trainer::cuda {

class KernelRunner {
 public:
  // `stream` of `device`, both known to CUDA; there must be a device.
  KernelRunner(cudaStream_t stream, int device);
  ~KernelRunner();
  KernelRunner(const KernelRunner&) = delete;
  KernelRunner& operator=(const KernelRunner&) = delete;

  // Launches; false where there is no such kernel. Errors of the launch are cudaGetLastError's, for the caller to ask. The device is
  // the calling thread's current one.
  bool run(std::string_view name, std::string_view variant, const KernelCall& call) const;

 private:
  struct EigenDevice;
  std::unique_ptr<EigenDevice> device_;
};

}  // namespace trainer::cuda
