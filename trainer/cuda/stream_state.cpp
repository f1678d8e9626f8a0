#include "trainer/cuda/stream_state.h"

#include "trainer/cuda/cuda_failure.h"
#include "trainer/cuda/devices.h"
#include "trainer/cuda/host_threads.h"

namespace trainer::cuda {

namespace {

cudaStream_t create(bool legacy) {
  cudaStream_t stream = nullptr;
  if (!legacy) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

}  // namespace

StreamState::StreamState(int device, bool legacy) : device_(device), stream_(create(legacy)), kernels_(stream_, device) {}

StreamState::~StreamState() {
  Devices::leave(device_);
  for (const auto& [place, piece] : scratch_) static_cast<void>(cudaFree(piece.data));
  if (stream_) static_cast<void>(cudaStreamDestroy(stream_));
}

void StreamState::find_addresses(const KernelOperands& operands) {
  addresses_.clear();
  for (const Operand& operand : operands.tensors) {
    const auto floats = static_cast<std::size_t>(operand.scratch_floats());
    addresses_.push_back(operand.is_scratch() ? scratch(operand.slot(), floats * sizeof(float)) : operand.address());
  }
}

float* StreamState::scratch(int slot, std::size_t size_bytes) {
  Piece& piece = scratch_[{HostThreads::lane(), slot}];
  if (piece.size_bytes < size_bytes) {
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");  // kernels may still use the old piece
    check(cudaFree(piece.data), "cudaFree");
    piece = {};
    check(cudaMalloc(&piece.data, size_bytes), "cudaMalloc of memory between kernels");
    piece.size_bytes = size_bytes;
    check(cudaMemsetAsync(piece.data, 0, size_bytes, stream_), "cudaMemsetAsync");
  }
  return static_cast<float*>(piece.data);
}

}  // namespace trainer::cuda
