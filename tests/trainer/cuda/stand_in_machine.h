// A CUDA backend on the stand-in for the runtime.
#pragma once

#include <memory>

#include "trainer/backend.h"
#include "trainer/cuda/gemm.h"

namespace trainer::test {

// devices: 1 to 4. Forgets what the stand-in saw before. Matrix products are noted as "launch sgemm NN", NT or TN.
std::unique_ptr<Backend> stand_in_machine(int devices, bool peer_access = true);

}  // namespace trainer::test
