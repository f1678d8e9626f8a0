// CUPTI's numbers as those of a trace.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/kinds.h"

namespace gputrace::collector {

// CUPTI numbers memory from 1 pageable, the export from 0 pageable with 7 unknown.
inline trace::MemoryKind memory_kind(std::uint64_t cupti) {
  return cupti >= 1 && cupti <= 7 ? static_cast<trace::MemoryKind>(cupti - 1) : trace::MemoryKind::unknown;
}

inline trace::CopyKind copy_kind(std::uint8_t cupti) {
  return cupti <= 10 ? static_cast<trace::CopyKind>(cupti) : trace::CopyKind::unknown;
}

// CUPTI gives 0 for "none".
template <class T>
std::optional<std::int64_t> unless_zero(T value) {
  return value != 0 ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

}  // namespace gputrace::collector
