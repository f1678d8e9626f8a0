// How Chrome and Perfetto traces call what happens on a GPU, in the words of PyTorch's profiler, which other tools know.
#pragma once

#include <cstdint>
#include <string>

#include "trace/kinds.h"

namespace gputrace::trace {

// "Memcpy HtoD (Pageable -> Device)"; copy_nature() of kineto_event.h reads it back.
std::string copy_event_name(CopyKind kind, MemoryKind source, MemoryKind destination);
std::string fill_event_name(MemoryKind memory);          // "Memset (Device)"
std::string synchronization_event_name(SyncKind kind);   // "Stream Sync"
std::string overhead_event_name(OverheadKind kind);      // "Lazy Function Loading"

}  // namespace gputrace::trace
