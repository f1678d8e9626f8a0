// The memory of a run: what CUDA and the host gave, until it is given back.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include <cuda_runtime_api.h>

#include "trainer/backend.h"

namespace trainer::cuda {

// For any host threads.
class Allocations {
 public:
  Allocations() = default;
  ~Allocations();
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  // Of the calling thread's current device, which is `device`. Throws CudaFailure; where there is too little, it says how much was
  // asked for.
  Buffer allocate(Memory memory, int device, std::size_t size_bytes);
  void release(const Buffer& buffer);  // of a whole allocation, of the current device

 private:
  std::mutex mutex_;
  std::map<void*, Memory> given_;
};

// Of a copy between two buffers, as CUDA wants to be told.
cudaMemcpyKind kind_of_copy(Memory to, Memory from);

}  // namespace trainer::cuda
