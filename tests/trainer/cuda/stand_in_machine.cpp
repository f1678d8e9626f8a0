#include "tests/trainer/cuda/stand_in_machine.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "tests/support/cudart/stand_in.h"
#include "trainer/cuda/cuda_backend.h"
#include "trainer/kernel_names.h"
#include "trainer/launch_shape.h"

namespace trainer::test {

namespace {

constexpr int kMostDevices = 4;

class NotedGemm final : public cuda::Gemm {
 public:
  void run(cudaStream_t stream, const cuda::GemmCall& call) override {
    const std::string operands = call.transpose_a ? "TN" : call.transpose_b ? "NT" : "NN";
    cudart_stand_in::note(stream, "launch sgemm " + operands);
  }
};

std::unique_ptr<Backend> start(int devices, bool peer_access) {
  cudart_stand_in::reset(devices);
  auto backend = cuda::make_cuda_backend(peer_access, std::make_unique<NotedGemm>());
  REQUIRE(backend);
  return *std::move(backend);
}

// Eigen asks once in each file of kernels what devices there are, at its first launch: one launch of each file.
void show_all_devices() {
  namespace names = kernel_names;
  const auto backend = start(kMostDevices, true);
  const Stream stream = backend->create_stream(0);
  const Buffer memory = backend->allocate(Memory::device, 0, 4096, true);
  const Operand x(memory.data);
  for (const std::string_view name : {names::kNegate, names::kTile4, names::kPad, names::kFullMean, names::kAdd3})
    backend->launch(stream, with_operands(elementwise_launch(name, 1, {}), {{x, x}, {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1}}));
}

}  // namespace

std::unique_ptr<Backend> stand_in_machine(int devices, bool peer_access) {
  static const bool shown = (show_all_devices(), true);
  static_cast<void>(shown);
  return start(devices, peer_access);
}

}  // namespace trainer::test
