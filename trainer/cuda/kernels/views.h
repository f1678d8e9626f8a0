// A kernel's operands as Eigen's tensors: row-major, 64-bit indices. No alignment is claimed: gradients lie one after the other in
// one buffer, and chunks of a ring begin anywhere.
#pragma once

#include <array>
#include <utility>

#include <unsupported/Eigen/CXX11/Tensor>

#include "trainer/cuda/kernels/kernel.h"

namespace trainer::cuda {

template <int kRank>
using View = Eigen::TensorMap<Eigen::Tensor<float, kRank, Eigen::RowMajor, std::int64_t>>;
template <int kRank>
using ConstView = Eigen::TensorMap<Eigen::Tensor<const float, kRank, Eigen::RowMajor, std::int64_t>>;
template <int kRank>
using Extents = Eigen::DSizes<std::int64_t, kRank>;

// Consecutive extents of the call, from `first` on.
template <int kRank>
Extents<kRank> extents(const KernelCall& call, std::size_t first = 0) {
  Extents<kRank> result;
  for (int i = 0; i < kRank; ++i) result[i] = call.extents[first + static_cast<std::size_t>(i)];
  return result;
}

template <int kRank>
ConstView<kRank> input(const KernelCall& call, std::size_t index, const Extents<kRank>& extents) {
  return ConstView<kRank>(call.tensors[index], extents);
}

template <int kRank>
View<kRank> output(const KernelCall& call, const Extents<kRank>& extents) {
  return View<kRank>(call.tensors.back(), extents);
}

// All elements in a row: their number is the last extent.
inline ConstView<1> flat_input(const KernelCall& call, std::size_t index) {
  return input<1>(call, index, Extents<1>(call.extents.back()));
}
inline View<1> flat_output(const KernelCall& call) { return output<1>(call, Extents<1>(call.extents.back())); }

}  // namespace trainer::cuda
