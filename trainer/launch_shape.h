// Launch configurations: those of Eigen's GPU device, of cuDNN's implicit GEMM and of cuBLAS.
#pragma once

#include <cstdint>
#include <string_view>

#include "trainer/backend.h"

namespace trainer {

// EigenMetaKernel: 1024 threads a block, at most as many blocks as fit on the GPU; each thread strides over
// elements.
KernelLaunch elementwise_launch(std::string_view name, std::int64_t elements, const Work& work);
// OuterReductionKernel: 256 threads a block, each thread sums 64 values of one column.
KernelLaunch column_reduction_launch(std::string_view name, std::int64_t rows, std::int64_t columns,
                                     const Work& work);
// FullReductionKernel: 256 threads a block, each sums 128 values.
KernelLaunch full_reduction_launch(std::string_view name, std::int64_t elements, const Work& work);
// A GEMM-like kernel of one block per tile of the output, times the number of slices of the inner dimension.
struct GemmTile {
  std::int64_t rows, columns;
  std::uint32_t threads, registers, shared_bytes;
};
inline constexpr GemmTile kSgemmTile{128, 128, 256, 122, 16640};
inline constexpr GemmTile kConvolutionTile{128, 32, 128, 80, 12544};
KernelLaunch gemm_launch(std::string_view name, const GemmTile& tile, std::int64_t rows, std::int64_t columns,
                         std::int64_t inner_slices, const Work& work);

// The same launch with what it works on.
KernelLaunch with_operands(KernelLaunch kernel, KernelOperands operands);

// DRAM traffic of an element-wise kernel that reads and writes this many float tensors of `elements`.
inline Work streaming_work(std::int64_t elements, int tensors, double flops_per_element = 1) {
  const auto count = static_cast<double>(elements);
  return {.flops = count * flops_per_element, .bytes = 4 * count * tensors};
}

}  // namespace trainer
