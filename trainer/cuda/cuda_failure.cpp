#include "trainer/cuda/cuda_failure.h"

#include <fmt/format.h>

namespace trainer::cuda {

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw CudaFailure(fmt::format("{}: {} ({}); nvidia-smi shows the state of the GPUs, --backend virtual does without", call,
                                cudaGetErrorString(error), cudaGetErrorName(error)));
}

}  // namespace trainer::cuda
