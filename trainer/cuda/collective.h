// A mean over GPUs by a library, in place of the trainer's ring of copies and kernels: NCCL, in a build that asks for it
// (GPUTRACE_TRAINER_NCCL).
#pragma once

#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "trainer/backend.h"

namespace trainer::cuda {

class Collective {
 public:
  virtual ~Collective() = default;
  // buffers[i], of the same size each, lies on the device buffers[i].device and is used on streams[i]; in place. Each set of devices from
  // one host thread at a time. False where the library cannot, as with two buffers on one device. Throws CudaFailure.
  virtual bool average(const std::vector<Buffer>& buffers, const std::vector<cudaStream_t>& streams) = 0;
};

std::unique_ptr<Collective> make_collective();  // nullptr in a build without

}  // namespace trainer::cuda
