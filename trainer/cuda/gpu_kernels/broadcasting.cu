// Broadcasting kernels of the GPU.
#include "trainer/cuda/kernels/broadcasting.h"

namespace trainer::cuda {

template KernelList<Eigen::GpuDevice> repeated_rows_kernels();
template KernelList<Eigen::GpuDevice> channels_kernels();
template KernelList<Eigen::GpuDevice> tile_kernels();

}  // namespace trainer::cuda
