// The program `trainer_kernel_check`: every GPU kernel against the arithmetic of its op on the host. Exit status: 0 all agree, 1 some do
// not or CUDA fails, 77 there is no GPU.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "trainer/cuda/cuda_backend.h"
#include "trainer/cuda/op_check.h"

namespace {

constexpr int kSame = 0, kDifferent = 1, kNoGpu = 77;
constexpr std::uint64_t kSeed = 1;

int complain(const std::string& what, int exit_status) {
  fmt::print(stderr, "trainer_kernel_check: {}\n", what);
  return exit_status;
}

int check_all(trainer::Backend& backend) {
  backend.set_device(0);
  const trainer::Stream stream = backend.create_stream(0);
  int failed = 0, checked = 0;
  fmt::print("{}\n{:<76} {:<22} {:>10} {:>10}\n", backend.description(), "case", "op", "error", "allowed");
  for (const trainer::cuda::KernelCase& which : trainer::cuda::kernel_cases()) {
    for (const trainer::cuda::OpResult& result : trainer::cuda::check_ops(backend, stream, which, kSeed)) {
      ++checked;
      failed += result.passed() ? 0 : 1;
      fmt::print("{:<76} {:<22} {:>10.2e} {:>10.2e} {}\n", result.case_name, result.op, result.error, result.tolerance,
                 result.passed() ? "pass" : "FAIL");
      if (!result.passed())
        for (const std::string& kernel : result.kernels) fmt::print("    {}\n", kernel);
    }
  }
  fmt::print("{} ops checked, {} failed\n", checked, failed);
  return failed == 0 && checked > 0 ? kSame : kDifferent;
}

int run() {
  const trainer::CudaPresence presence = trainer::cuda::find_devices();
  if (presence.devices == 0) return complain("no GPU: " + presence.answer, kNoGpu);
  const auto backend = trainer::cuda::make_cuda_backend(true);
  return backend ? check_all(**backend) : complain(backend.error(), kDifferent);
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {  // CUDA's, cuBLAS's
    return complain(error.what(), kDifferent);
  }
}
