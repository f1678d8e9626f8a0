#include "trainer/cuda/allocations.h"

#include <fmt/format.h>

#include <cstdlib>

#include "trainer/cuda/cuda_failure.h"

namespace trainer::cuda {

namespace {

// What was asked for, and the answer.
struct Answer {
  const char* call;
  cudaError_t error;
  void* data;
};

Answer ask_for(Memory memory, std::size_t size_bytes) {
  void* data = nullptr;
  cudaError_t error = cudaSuccess;
  switch (memory) {
    case Memory::device: error = cudaMalloc(&data, size_bytes); return {"cudaMalloc", error, data};
    case Memory::pinned: error = cudaHostAlloc(&data, size_bytes, cudaHostAllocPortable); return {"cudaHostAlloc", error, data};
    case Memory::managed: error = cudaMallocManaged(&data, size_bytes); return {"cudaMallocManaged", error, data};
    case Memory::pageable: break;
  }
  data = std::calloc(1, size_bytes);
  return {"host memory", data ? cudaSuccess : cudaErrorMemoryAllocation, data};
}

cudaError_t give_back(Memory memory, void* data) {
  switch (memory) {
    case Memory::device:
    case Memory::managed: return cudaFree(data);
    case Memory::pinned: return cudaFreeHost(data);
    case Memory::pageable: break;
  }
  std::free(data);
  return cudaSuccess;
}

}  // namespace

// An error of CUDA's that ended the run answers again here, and was told already.
Allocations::~Allocations() {
  for (const auto& [data, memory] : given_) static_cast<void>(give_back(memory, data));
}

Buffer Allocations::allocate(Memory memory, int device, std::size_t size_bytes) {
  const std::size_t asked = size_bytes ? size_bytes : 1;
  const Answer answer = ask_for(memory, asked);
  if (answer.error == cudaErrorMemoryAllocation)
    throw CudaFailure(fmt::format("{} of {:.1f} MiB for GPU {}: out of memory; choose a smaller --batch", answer.call,
                                  static_cast<double>(asked) / (1 << 20), device));
  check(answer.error, answer.call);
  const std::lock_guard lock(mutex_);
  given_[answer.data] = memory;
  return {memory, device, size_bytes, reinterpret_cast<std::uint64_t>(answer.data), answer.data};
}

void Allocations::release(const Buffer& buffer) {
  {
    const std::lock_guard lock(mutex_);
    given_.erase(buffer.data);
  }
  check(give_back(buffer.memory, buffer.data), "cudaFree");
}

cudaMemcpyKind kind_of_copy(Memory to, Memory from) {
  if (to == Memory::managed || from == Memory::managed) return cudaMemcpyDefault;
  if (to == Memory::device) return from == Memory::device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return from == Memory::device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

}  // namespace trainer::cuda
