// CUDA numbers GPUs by process: with CUDA_VISIBLE_DEVICES, device 0 of two processes is two GPUs. Here a
// device number of a trace is made to mean one GPU, whatever process names it.
#pragma once

#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace gputrace::trace {

struct CudaDevice {  // "device `cuda_device` of process `pid` is GPU `gpu` of the machine"
  std::int64_t pid = 0;
  std::int32_t cuda_device = 0, gpu = 0;
};

// Whether one CUDA number names two GPUs.
bool is_ambiguous(std::span<const CudaDevice> devices);

// Gives device rows the GPU's number; rows of a process or device that is not listed keep theirs, and are
// counted.
void number_devices_by_gpu(Trace& trace, std::span<const CudaDevice> devices);

// For traces that do not list the devices of processes: processes that run NCCL kernels on the same CUDA
// number have a GPU each, since NCCL refuses two ranks on one GPU. They are numbered in the order of pid and
// CUDA number, and this is said in `diagnostics`. Other traces are left alone.
void separate_devices_of_nccl_ranks(Trace& trace);

// CUPTI's records of synchronizations and events name a context and no device; exports show device 0 there.
// They get the device on which kernels, copies and fills of their context ran, where there are any.
void take_devices_from_contexts(Trace& trace);

}  // namespace gputrace::trace
