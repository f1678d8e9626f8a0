// One function per kind of CUPTI's activity records: what of it goes into the spool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gputrace::guest {

class ActivityEncoder;

struct KindEncoder {
  std::uint32_t kind;  // CUpti_ActivityKind
  void (*encode)(ActivityEncoder&, const std::uint8_t* record, std::uint32_t bytes);  // as long as the loaded library's
};

std::span<const KindEncoder> gpu_kinds();      // work on the GPU
std::span<const KindEncoder> host_kinds();     // what host threads did
std::span<const KindEncoder> machine_kinds();  // devices, queues, links, clocks and temperatures
std::span<const KindEncoder> memory_kinds();   // allocations, pools, unified memory

// A record as our headers know it, though the loaded library's may be shorter (older: the rest reads as 0) or longer.
template <class T>
const T& view(const std::uint8_t* record, std::uint32_t bytes, T& scratch) {
  if (bytes >= sizeof(T)) return *reinterpret_cast<const T*>(record);
  std::memset(&scratch, 0, sizeof scratch);
  std::memcpy(&scratch, record, bytes);
  return scratch;
}

// An enumeration in a record, at its offset: a newer CUPTI may have values that this build has no name for, so it is never
// read as what it is declared.
template <std::size_t kOffset, class Record>
std::uint32_t number_at(const Record& record) {
  static_assert(kOffset + sizeof(std::uint32_t) <= sizeof(Record));
  std::uint32_t number = 0;
  std::memcpy(&number, reinterpret_cast<const std::uint8_t*>(&record) + kOffset, sizeof number);
  return number;
}

}  // namespace gputrace::guest
