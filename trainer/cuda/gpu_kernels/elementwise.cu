// Element-wise kernels of the GPU.
#include "trainer/cuda/kernels/elementwise.h"

namespace trainer::cuda {

template KernelList<Eigen::GpuDevice> unary_kernels();
template KernelList<Eigen::GpuDevice> binary_kernels();
template KernelList<Eigen::GpuDevice> optimizer_kernels();

}  // namespace trainer::cuda
