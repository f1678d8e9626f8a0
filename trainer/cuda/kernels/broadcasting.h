// Kernels whose second operand, or only one, is repeated.
#pragma once

#include "trainer/cuda/kernels/views.h"
#include "trainer/kernel_names.h"

namespace trainer::cuda {


// (a - b)^2; TensorFlow's functor of that name does the same.
struct SquaredDifference {
  EIGEN_DEVICE_FUNC float operator()(float a, float b) const { return (a - b) * (a - b); }
};

// a[rows, columns] and b[b_rows, b_columns], which repeats to that size. Tensors a, b, y; extents {rows, columns, b_rows, b_columns}.
template <class Device, class Combine>
void with_repeated_rows(const Device& device, const KernelCall& call, Combine combine) {
  const Extents<2> size = extents<2>(call), small = extents<2>(call, 2);
  const Eigen::array<std::int64_t, 2> repeats{size[0] / small[0], size[1] / small[1]};
  output<2>(call, size).device(device) = combine(input<2>(call, 0, size), input<2>(call, 1, small).broadcast(repeats));
}

// a[N, C, HW] and b[1, C, 1]. Tensors a, b, y; extents {N, C, HW}.
template <class Device, class Combine>
void with_channels(const Device& device, const KernelCall& call, Combine combine) {
  const Extents<3> size = extents<3>(call), small(1, size[1], 1);
  const Eigen::array<std::int64_t, 3> repeats{size[0], 1, size[2]};
  output<3>(call, size).device(device) = combine(input<3>(call, 0, size), input<3>(call, 1, small).broadcast(repeats));
}

struct Add {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const { return a + b; }
};
struct Subtract {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const { return a - b; }
};
struct Multiply {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const { return a * b; }
};
struct SquareDifference {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const { return a.binaryExpr(b, SquaredDifference()); }
};

template <class Device>
KernelList<Device> repeated_rows_kernels() {
  namespace names = kernel_names;
  return {
      {names::kBroadcastAdd, {}, [](const Device& device, const KernelCall& call) { with_repeated_rows(device, call, Add()); }},
      {names::kBroadcastSubtract, {}, [](const Device& device, const KernelCall& call) { with_repeated_rows(device, call, Subtract()); }},
      {names::kBroadcastMultiply, {}, [](const Device& device, const KernelCall& call) { with_repeated_rows(device, call, Multiply()); }},
      {names::kBroadcastSquaredDifference, {}, [](const Device& device, const KernelCall& call) {
         with_repeated_rows(device, call, SquareDifference());
       }},
  };
}

template <class Device>
KernelList<Device> channels_kernels() {
  namespace names = kernel_names;
  return {
      {names::kChannelAdd, {}, [](const Device& device, const KernelCall& call) { with_channels(device, call, Add()); }},
      {names::kChannelSubtract, {}, [](const Device& device, const KernelCall& call) { with_channels(device, call, Subtract()); }},
      {names::kChannelMultiply, {}, [](const Device& device, const KernelCall& call) { with_channels(device, call, Multiply()); }},
      {names::kChannelSquaredDifference, {}, [](const Device& device, const KernelCall& call) {
         with_channels(device, call, SquareDifference());
       }},
  };
}

// x, y; the four extents of x, then how often each repeats.
template <class Device>
void tile4(const Device& device, const KernelCall& call) {
  const Extents<4> from = extents<4>(call), repeats = extents<4>(call, 4);
  Extents<4> to;
  for (int i = 0; i < 4; ++i) to[i] = from[i] * repeats[i];
  output<4>(call, to).device(device) =
      input<4>(call, 0, from).broadcast(Eigen::array<std::int64_t, 4>{repeats[0], repeats[1], repeats[2], repeats[3]});
}

// The same where only the outer and the last extent count, as in a tensor of rank two.
template <class Device>
void tile2(const Device& device, const KernelCall& call) {
  const Extents<4> from = extents<4>(call), repeats = extents<4>(call, 4);
  if (from[0] != 1 || from[1] != 1 || from[2] != 1 || repeats[2] != 1) return tile4(device, call);
  const Eigen::array<std::int64_t, 2> outer_and_last{repeats[0] * repeats[1], repeats[3]};
  output<2>(call, Extents<2>(outer_and_last[0], from[3] * repeats[3])).device(device) =
      input<2>(call, 0, Extents<2>(1, from[3])).broadcast(outer_and_last);
}

template <class Device>
KernelList<Device> tile_kernels() {
  return {{kernel_names::kTile2, {}, &tile2<Device>}, {kernel_names::kTile4, {}, &tile4<Device>}};
}

}  // namespace trainer::cuda
