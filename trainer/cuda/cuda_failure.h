// How an error of CUDA ends the run: an exception, because the calls of a Backend return nothing, an error of CUDA stays, and the
// program's main has one place that prints. Its text is one line: what was called, what CUDA says.
#pragma once

#include <stdexcept>

#include <cuda_runtime_api.h>

namespace trainer::cuda {

class CudaFailure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `call`: the function's name, with what it was for.
void check(cudaError_t error, const char* call);

}  // namespace trainer::cuda
