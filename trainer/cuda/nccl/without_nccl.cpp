// A build without NCCL.
#include "trainer/cuda/collective.h"

namespace trainer::cuda {

std::unique_ptr<Collective> make_collective() { return nullptr; }

}  // namespace trainer::cuda
