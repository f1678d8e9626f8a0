// The kind of memory that sets how fast a copy can be.
#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace gputrace::analyzer {

// On the host's side of a copy between host and GPU. Within the host: pageable where either side is, for that one is staged; else the
// source's. Between GPUs, or within one: the source's.
trace::MemoryKind memory_of_copy(const trace::Copies& copies, std::size_t copy);
const char* host_memory(const trace::Copies& copies, std::size_t copy);  // its name

}  // namespace gputrace::analyzer
