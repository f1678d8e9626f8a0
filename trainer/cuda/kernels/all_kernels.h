// Every kernel, by the name that ops give it.
#pragma once

#include "trainer/cuda/kernels/batch_norm.h"
#include "trainer/cuda/kernels/broadcasting.h"
#include "trainer/cuda/kernels/convolution.h"
#include "trainer/cuda/kernels/elementwise.h"
#include "trainer/cuda/kernels/rearranging.h"
#include "trainer/cuda/kernels/reductions.h"
#include "trainer/cuda/kernels/single_pass.h"
#include "trainer/cuda/kernels/swap_dimensions.h"

namespace trainer::cuda {

template <class Device>
KernelList<Device> all_kernels() {
  KernelList<Device> all;
  for (const auto& group :
       {unary_kernels<Device>(), binary_kernels<Device>(), optimizer_kernels<Device>(), repeated_rows_kernels<Device>(),
        channels_kernels<Device>(), tile_kernels<Device>(), rearranging_kernels<Device>(), reduction_kernels<Device>(),
        single_pass_kernels<Device>(), swap_dimensions_kernels<Device>(), batch_norm_kernels<Device>(), convolution_kernels<Device>()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace trainer::cuda
