#include "analyzer/pageable_copies.h"

#include "analyzer/host_links.h"
#include "analyzer/host_memory.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

bool is_pageable_copy(const trace::Copies& copies, std::size_t copy) {
  if (!copies.has_size(copy)) return false;  // what it would take from pinned memory cannot be told
  const auto way = link_way(copies.kind[copy]);
  if (!way || memory_of_copy(copies, copy) != trace::MemoryKind::pageable) return false;
  return way == LinkWay::to_device || copies.bytes[copy] > thresholds::kReadbackBytes;
}

}  // namespace gputrace::analyzer
