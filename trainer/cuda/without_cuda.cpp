// The CUDA backend of a build that has none.
#include "trainer/cuda/cuda_backend.h"

namespace trainer::cuda {

namespace {

constexpr const char* kAbsent = "this build has no CUDA backend (nvcc or Eigen was not found when it was configured, or it was left out)";

}  // namespace

CudaPresence find_devices() { return {0, kAbsent}; }

tl::expected<std::unique_ptr<Backend>, std::string> make_cuda_backend(bool) { return tl::unexpected<std::string>(kAbsent); }

}  // namespace trainer::cuda
