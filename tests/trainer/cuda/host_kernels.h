// The GPU kernels' computations on the host: a backend that runs them, built for Eigen's CPU device, in place of the ops' own
// arithmetic, when these would be.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/trainer/cuda/forwarding_backend.h"

namespace trainer::test {

class HostKernels final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;

  void launch(Stream stream, const KernelLaunch& kernel) override;

  const std::set<std::string>& launched() const { return launched_; }  // "NAME" or "NAME variant"

 private:
  void run(Stream stream, std::string_view name, const KernelOperands& operands);
  float* scratch(const Operand& operand, Stream stream);

  std::map<std::pair<int, int>, std::vector<float>> scratch_;  // by stream and slot
  std::set<std::string> launched_;
};

// "NAME" or "NAME variant" of every kernel that the CUDA backend has, but for the matrix products.
std::vector<std::string> known_kernels();

}  // namespace trainer::test
