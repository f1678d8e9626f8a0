// Real GPUs as a Backend, through the CUDA runtime. A build without nvcc has the same functions; they say so.
//
// Kernels run whatever `with_storage` and `arithmetic` say: results come with the times. An error of CUDA ends
// the run with an exception of one line (cuda_failure.h), which the program's one catch prints; host threads that wait for each
// other are woken by it.
//
// A rule for the program: streams and events are made before its threads use any.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "trainer/backend.h"
#include "trainer/backend_choice.h"

namespace trainer::cuda {

class Gemm;

CudaPresence find_devices();

// peer_access: whether GPUs may reach each other's memory, where they can. The error is one line, for the user.
tl::expected<std::unique_ptr<Backend>, std::string> make_cuda_backend(bool peer_access);
// With something else for cuBLAS.
tl::expected<std::unique_ptr<Backend>, std::string> make_cuda_backend(bool peer_access, std::unique_ptr<Gemm> gemm);

}  // namespace trainer::cuda
