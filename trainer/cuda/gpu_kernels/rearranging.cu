// Rearranging kernels of the GPU.
#include "trainer/cuda/kernels/rearranging.h"

namespace trainer::cuda {

template KernelList<Eigen::GpuDevice> rearranging_kernels();

}  // namespace trainer::cuda
