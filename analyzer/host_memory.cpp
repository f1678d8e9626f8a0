#include "analyzer/host_memory.h"

#include "analyzer/host_links.h"

namespace gputrace::analyzer {

using trace::MemoryKind;

MemoryKind memory_of_copy(const trace::Copies& copies, std::size_t copy) {
  if (link_way(copies.kind[copy]) == LinkWay::from_device) return copies.destination_memory[copy];
  const bool within_host = copies.kind[copy] == trace::CopyKind::host_to_host;
  return within_host && copies.destination_memory[copy] == MemoryKind::pageable ? MemoryKind::pageable : copies.source_memory[copy];
}

const char* host_memory(const trace::Copies& copies, std::size_t copy) { return name(memory_of_copy(copies, copy)); }

}  // namespace gputrace::analyzer
