// Real GPUs as a Backend, through the CUDA runtime. A build without nvcc has the same functions; they say so.
//
// Towers ask for GPUs by number; where there are fewer devices, GPU i of the program is device i modulo their count, and
// description() says so. Kernels run whatever `with_storage` and `arithmetic` say: the results come with the times. An error of CUDA
// ends the run with an exception of one line (what was called, what CUDA says, the next step): CUDA's errors stay, so that
// nothing could go on after one; the program's one catch prints it. Host threads that wait for each other are woken by it.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "trainer/backend.h"
#include "trainer/backend_choice.h"

namespace trainer::cuda {

CudaPresence find_devices();

// gpus: how many the program will number. The error is one line, for the user.
tl::expected<std::unique_ptr<Backend>, std::string> make_cuda_backend(int gpus);

}  // namespace trainer::cuda
