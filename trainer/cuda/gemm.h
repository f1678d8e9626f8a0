// Matrix products of row-major matrices, behind an interface: cuBLAS opens the driver itself, so that tests without a GPU put
// something else in its place.
#pragma once

#include <cstdint>
#include <memory>

#include <cuda_runtime_api.h>

namespace trainer::cuda {

// y[rows, columns] = A B, where A is a or its transpose, B is b or its transpose; `inner` is summed over. Strides: floats from one
// row of a, or b, as it lies in memory, to the next.
struct GemmCall {
  bool transpose_a = false, transpose_b = false;
  std::int64_t rows = 0, columns = 0, inner = 0, a_stride = 0, b_stride = 0;  // below 2^31
  const float *a = nullptr, *b = nullptr;
  float* y = nullptr;
};

class Gemm {
 public:
  virtual ~Gemm() = default;
  // On a stream of the calling thread's current device. A failure is a CudaFailure.
  virtual void run(cudaStream_t stream, const GemmCall& call) = 0;
};

// Opens libcublas at the first product: a program starts without it.
std::unique_ptr<Gemm> make_cublas_gemm();

}  // namespace trainer::cuda
