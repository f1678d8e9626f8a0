// Kernels that move values: zeros around images, parts of them, dimensions in another order.
#pragma once

#include "trainer/cuda/kernels/views.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {

// x, y; the four extents of x, then {before, after} of each.
template <class Device>
void pad(const Device& device, const KernelCall& call) {
  const Extents<4> from = extents<4>(call);
  Extents<4> to;
  Eigen::array<std::pair<int, int>, 4> borders;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t before = call.extents[4 + 2 * i], after = call.extents[5 + 2 * i];
    borders[i] = {static_cast<int>(before), static_cast<int>(after)};
    to[i] = from[i] + before + after;
  }
  output<4>(call, to).device(device) = input<4>(call, 0, from).pad(borders);
}

// The inverse: x, y; the four extents of x, then {before, after} of each that are cut off.
template <class Device>
void slice(const Device& device, const KernelCall& call) {
  const Extents<4> from = extents<4>(call);
  Extents<4> to, offsets;
  for (std::size_t i = 0; i < 4; ++i) {
    offsets[i] = call.extents[4 + 2 * i];
    to[i] = from[i] - offsets[i] - call.extents[5 + 2 * i];
  }
  output<4>(call, to).device(device) = input<4>(call, 0, from).slice(offsets, to);
}

// {outer, height, width, run, stride} of the larger tensor: the smaller one has every stride-th row and column.
struct Strided {
  Extents<4> large, small;
  Eigen::array<std::int64_t, 4> strides;

  explicit Strided(const KernelCall& call) : large(extents<4>(call)), small(large) {
    const std::int64_t stride = call.extents[4];
    for (const int i : {1, 2}) small[i] = (large[i] + stride - 1) / stride;
    strides = {1, stride, stride, 1};
  }
};

template <class Device>
void strided_read(const Device& device, const KernelCall& call) {  // x, y
  const Strided of(call);
  output<4>(call, of.small).device(device) = input<4>(call, 0, of.large).stride(of.strides);
}

template <class Device>
void strided_assign(const Device& device, const KernelCall& call) {  // dy, dx
  const Strided of(call);
  auto dx = output<4>(call, of.large);
  dx.stride(of.strides).device(device) = input<4>(call, 0, of.small);
}

// x, y; the four extents of x, then which of them comes first, second ... in y.
template <class Device>
void shuffle4(const Device& device, const KernelCall& call) {
  const Extents<4> from = extents<4>(call);
  Extents<4> to;
  Eigen::array<int, 4> order;
  for (std::size_t i = 0; i < 4; ++i) {
    order[i] = static_cast<int>(call.extents[4 + i]);
    to[i] = from[order[i]];
  }
  output<4>(call, to).device(device) = input<4>(call, 0, from).shuffle(order);
}

// x[A, B, C] to y[C, B, A]: filters from [K K, in, out] to [out, in, K K], and back. x, y; {A, B, C}.
template <class Device>
void transform_filter(const Device& device, const KernelCall& call) {
  const Extents<3> from = extents<3>(call), to(from[2], from[1], from[0]);
  output<3>(call, to).device(device) = input<3>(call, 0, from).shuffle(Eigen::array<int, 3>{2, 1, 0});
}

template <class Device>
KernelList<Device> rearranging_kernels() {
  namespace names = kernel_names;
  return {{names::kPad, {}, &pad<Device>},
          {names::kSlice, {}, &slice<Device>},
          {names::kStridedRead, {}, &strided_read<Device>},
          {names::kStridedAssign, {}, &strided_assign<Device>},
          {names::kShuffle4, {}, &shuffle4<Device>},
          {names::kTransformFilter, {}, &transform_filter<Device>}};
}

}  // namespace trainer::cuda
