// Sums and means. Sums of columns, of rows and of everything are Eigen's kernels for those cases: many threads add to each result, in
// an order that differs from run to run. A mean is the sum of scaled values, because Eigen's own mean falls back to one thread per
// result; the sums over N and HW of images are left to that fallback, which is what the naive batch norm is slow for.
#pragma once

#include "trainer/cuda/kernels/views.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {

// x, y; {blocks, rows, columns}: over the rows of each block; scale.
template <class Device>
void outer_sum(const Device& device, const KernelCall& call) {
  const Extents<3> size = extents<3>(call);
  const float scale = call.scalars[0];
  if (size[0] == 1) {
    const auto x = input<2>(call, 0, Extents<2>(size[1], size[2]));
    output<1>(call, Extents<1>(size[2])).device(device) = (x * scale).sum(Eigen::array<int, 1>{0});
    return;
  }
  output<2>(call, Extents<2>(size[0], size[2])).device(device) =
      (input<3>(call, 0, size) * scale).sum(Eigen::array<int, 1>{1});
}

// x, y; {rows, columns}: over the columns of each row; scale.
template <class Device>
void inner_sum(const Device& device, const KernelCall& call) {
  const Extents<2> size = extents<2>(call);
  output<1>(call, Extents<1>(size[0])).device(device) =
      (input<2>(call, 0, size) * call.scalars[0]).sum(Eigen::array<int, 1>{1});
}

// x, y; {elements}.
template <class Device>
void mean_of_all(const Device& device, const KernelCall& call) {
  const float scale = 1.0F / static_cast<float>(call.extents[0]);
  output<0>(call, Extents<0>()).device(device) = (flat_input(call, 0) * scale).sum();
}

template <class Device>
void half_sum_of_squares(const Device& device, const KernelCall& call) {
  output<0>(call, Extents<0>()).device(device) = (flat_input(call, 0).square() * 0.5F).sum();
}

// x[N, C, HW], y[C]; {N, C, HW}.
template <class Device>
void sum_of_channels(const Device& device, const KernelCall& call) {
  const Extents<3> size = extents<3>(call);
  output<1>(call, Extents<1>(size[1])).device(device) = input<3>(call, 0, size).sum(Eigen::array<int, 2>{0, 2});
}

template <class Device>
void mean_of_channels(const Device& device, const KernelCall& call) {
  const Extents<3> size = extents<3>(call);
  output<1>(call, Extents<1>(size[1])).device(device) = input<3>(call, 0, size).mean(Eigen::array<int, 2>{0, 2});
}

template <class Device>
KernelList<Device> reduction_kernels() {
  namespace names = kernel_names;
  return {{names::kOuterSum, {}, &outer_sum<Device>},
          {names::kOuterMean, {}, &outer_sum<Device>},
          {names::kInnerMean, {}, &inner_sum<Device>},
          {names::kFullMean, {}, &mean_of_all<Device>},
          {names::kL2Loss, {}, &half_sum_of_squares<Device>},
          {names::kSumOfChannels, {}, &sum_of_channels<Device>},
          {names::kMeanOfChannels, {}, &mean_of_channels<Device>}};
}

}  // namespace trainer::cuda
