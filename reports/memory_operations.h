// Copies and fills under the names that `nsys stats` gives them.
#pragma once

#include "reports/value_groups.h"

namespace gputrace::reports {

bool has_memory_operations(const trace::Trace& trace);

// "[CUDA memcpy Host-to-Device]", ..., "[CUDA memset]".
ValueGroups memory_durations_ns(const trace::Trace& trace);
ValueGroups memory_sizes_bytes(const trace::Trace& trace);

}  // namespace gputrace::reports
