// Kernels of the GPU that are our own.
#include "trainer/cuda/kernels/batch_norm.h"
#include "trainer/cuda/kernels/convolution.h"
#include "trainer/cuda/kernels/single_pass.h"
#include "trainer/cuda/kernels/swap_dimensions.h"

namespace trainer::cuda {

template KernelList<Eigen::GpuDevice> batch_norm_kernels();
template KernelList<Eigen::GpuDevice> convolution_kernels();
template KernelList<Eigen::GpuDevice> single_pass_kernels();
template KernelList<Eigen::GpuDevice> swap_dimensions_kernels();

}  // namespace trainer::cuda
