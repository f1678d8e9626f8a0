// Copies and fills under the names that `nsys stats` gives them.
#pragma once

#include "reports/value_groups.h"

namespace gputrace::reports {

const char* memory_operation_name(trace::CopyKind kind);  // "[CUDA memcpy Host-to-Device]"
const char* fill_name();                                  // "[CUDA memset]"

bool has_memory_operations(const trace::Trace& trace);

ValueGroups memory_durations_ns(const trace::Trace& trace);
// With kernels, in groups of paired() names: CUDA_KERNEL or MEMORY_OPER, and the kernel or the operation.
ValueGroups gpu_durations_ns(const trace::Trace& trace);

ValueGroups memory_sizes_bytes(const trace::Trace& trace);

}  // namespace gputrace::reports
