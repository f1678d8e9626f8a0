// Reductions of the GPU.
#include "trainer/cuda/kernels/reductions.h"

namespace trainer::cuda {

template KernelList<Eigen::GpuDevice> reduction_kernels();

}  // namespace trainer::cuda
