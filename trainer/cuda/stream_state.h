// A stream of the program: CUDA's stream, what launches kernels on it, and the memory between the kernels of an op.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "trainer/cuda/kernel_runner.h"
#include "trainer/kernel_operands.h"

namespace trainer::cuda {

class StreamState {
 public:
  // The device is current. `legacy`: the device's default stream, which waits for the others.
  StreamState(int device, bool legacy);
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }

  // launch(tensors' addresses, kernels), one thread at a time. Threads that share the stream have their own scratch memory: their
  // kernels take turns. It grows at its first uses, which waits for the stream.
  template <class Launch>
  void launch(const KernelOperands& operands, Launch launch) {
    const std::lock_guard lock(mutex_);
    find_addresses(operands);
    launch(std::span<float* const>(addresses_), kernels_);
  }

 private:
  struct Piece {
    void* data = nullptr;
    std::size_t size_bytes = 0;
  };
  void find_addresses(const KernelOperands& operands);
  float* scratch(int slot, std::size_t size_bytes);

  int device_;
  cudaStream_t stream_;
  KernelRunner kernels_;
  std::mutex mutex_;  // of all below, and of what kernels_ makes at its first uses
  std::map<std::pair<int, int>, Piece> scratch_;  // by lane of the host thread, and slot
  std::vector<float*> addresses_;
};

}  // namespace trainer::cuda
