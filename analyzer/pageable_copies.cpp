#include "analyzer/pageable_copies.h"

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

bool is_pageable_copy(const trace::Copies& copies, std::size_t copy) {
  using trace::CopyKind;
  using trace::MemoryKind;
  if (!copies.has_size(copy)) return false;  // what it would take from pinned memory cannot be told
  if (copies.kind[copy] == CopyKind::host_to_device) return copies.source_memory[copy] == MemoryKind::pageable;
  return copies.kind[copy] == CopyKind::device_to_host && copies.destination_memory[copy] == MemoryKind::pageable && copies.bytes[copy] > thresholds::kReadbackBytes;
}

}  // namespace gputrace::analyzer
