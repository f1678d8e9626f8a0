// A known amount of work for a GPU: what a recording of it must hold is printed at the end.
// workload [STEPS], with the time that its loop took: each step launches kKernels kernels on two streams, copies a buffer there and back, sets one to zero.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

namespace {

constexpr int kKernels = 50, kElements = 1 << 20;

__global__ void scale(float* values, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "workload: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 20;
  float* host = nullptr;
  float* device[2] = {};
  cudaStream_t stream[2] = {};
  check(cudaMallocHost(&host, kElements * sizeof(float)), "cudaMallocHost");
  for (int i = 0; i < kElements; ++i) host[i] = 1;
  for (int s = 0; s < 2; ++s) {
    check(cudaMalloc(&device[s], kElements * sizeof(float)), "cudaMalloc");
    check(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) {
    nvtxRangePushA("step");
    for (int s = 0; s < 2; ++s) {
      check(cudaMemcpyAsync(device[s], host, kElements * sizeof(float), cudaMemcpyHostToDevice, stream[s]), "copy to the device");
    }
    for (int k = 0; k < kKernels; ++k) {
      scale<<<(kElements + 255) / 256, 256, 0, stream[k % 2]>>>(device[k % 2], 1.0f, kElements);
      check(cudaGetLastError(), "launch");
    }
    check(cudaMemcpyAsync(host, device[0], kElements * sizeof(float), cudaMemcpyDeviceToHost, stream[0]), "copy to the host");
    check(cudaMemsetAsync(device[1], 0, kElements * sizeof(float), stream[1]), "cudaMemsetAsync");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    nvtxRangePop();
  }
  const auto loop_time = std::chrono::steady_clock::now() - begin;
  std::printf("kernels %d copies %d fills %d ranges %d\n", steps * kKernels, steps * 3, steps, steps);
  std::printf("loop_us %lld\n", static_cast<long long>(std::chrono::duration_cast<std::chrono::microseconds>(loop_time).count()));
  return host[0] == 1 ? 0 : 1;
}
