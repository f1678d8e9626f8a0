#include "tests/trainer/cuda/host_kernels.h"

#include <catch2/catch.hpp>

#include "trainer/cuda/kernels/all_kernels.h"

namespace trainer::test {

namespace {

using Host = Eigen::DefaultDevice;

const std::vector<cuda::Kernel<Host>>& kernels() {
  static const auto all = cuda::all_kernels<Host>();
  return all;
}

std::string key(std::string_view name, std::string_view variant) {
  return std::string(name) + (variant.empty() ? "" : " ") + std::string(variant);
}

bool multiply(std::string_view name, const std::vector<float*>& t, const std::vector<std::int64_t>& e) {
  const bool transpose_a = name == kernel_names::kSgemmTN, transpose_b = name == kernel_names::kSgemmNT;
  if (!transpose_a && !transpose_b && name != kernel_names::kSgemmNN) return false;
  for (std::int64_t row = 0; row < e[0]; ++row) {
    for (std::int64_t column = 0; column < e[1]; ++column) {
      double sum = 0;
      for (std::int64_t k = 0; k < e[2]; ++k) {
        sum += static_cast<double>(transpose_a ? t[0][k * e[3] + row] : t[0][row * e[3] + k]) *
               (transpose_b ? t[1][column * e[4] + k] : t[1][k * e[4] + column]);
      }
      t[2][row * e[1] + column] = static_cast<float>(sum);
    }
  }
  return true;
}

}  // namespace

void HostKernels::launch(Stream stream, const KernelLaunch& kernel) {
  REQUIRE(kernel.operands);
  const KernelOperands& operands = *kernel.operands;
  launched_.insert(key(kernel.mangled_name, operands.variant));
  KernelLaunch on_host = kernel;
  on_host.arithmetic = [this, stream, name = kernel.mangled_name, shared = kernel.operands] { run(stream, name, *shared); };
  backend_.launch(stream, on_host);
}

void HostKernels::run(Stream stream, std::string_view name, const KernelOperands& operands) {
  std::vector<float*> tensors;
  for (const Operand& operand : operands.tensors) tensors.push_back(operand.is_scratch() ? scratch(operand, stream) : operand.address());
  if (multiply(name, tensors, operands.extents)) return;
  for (const auto& known : kernels()) {
    if (known.name != name || known.variant != operands.variant) continue;
    return known.run(Host(), {tensors, operands.extents, operands.scalars});
  }
  FAIL("no kernel for " << key(name, operands.variant));
}

float* HostKernels::scratch(const Operand& operand, Stream stream) {
  std::vector<float>& piece = scratch_[{stream.device * 1000 + stream.id, operand.slot()}];
  if (piece.size() < static_cast<std::size_t>(operand.scratch_floats())) piece.assign(static_cast<std::size_t>(operand.scratch_floats()), 0.0F);
  return piece.data();
}

std::vector<std::string> known_kernels() {
  std::vector<std::string> names;
  for (const auto& kernel : kernels()) names.push_back(key(kernel.name, kernel.variant));
  return names;
}

}  // namespace trainer::test
