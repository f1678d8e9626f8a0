// What CUDA calls are, by their names as profilers write them: "cudaStreamSynchronize", "cudaLaunchKernel_v7000", "cuMemAlloc_v2".
#pragma once

#include <cstdint>
#include <string_view>

namespace gputrace::analyzer {

enum class CallKind : std::uint8_t {
  other,
  launch,       // of a kernel or a graph
  copy,         // or fill
  synchronize,  // of a stream, an event, a device or a context
  allocate,     // or free, of device or pinned memory; not from a pool in stream order (cudaMallocAsync)
  load,         // of a module or a function
};
CallKind call_kind(std::string_view name);

}  // namespace gputrace::analyzer
