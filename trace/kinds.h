// Enumerations of a trace, numbered as Nsight Systems' SQLite export numbers them (ENUM_* tables). Readers of formats
// that number differently (CUPTI and nvprof: memory kind 1 pageable, 2 pinned, 3 device) translate.
#pragma once

#include <cstdint>

namespace gputrace::trace {

enum class CopyKind : std::uint8_t {
  unknown = 0, host_to_device = 1, device_to_host = 2, host_to_array = 3, array_to_host = 4, array_to_array = 5,
  array_to_device = 6, device_to_array = 7, device_to_device = 8, host_to_host = 9, peer_to_peer = 10,
  unified_host_to_device = 11, unified_device_to_host = 12, unified_device_to_device = 13,
};

enum class MemoryKind : std::uint8_t {
  pageable = 0, pinned = 1, device = 2, array = 3, managed = 4, device_static = 5, managed_static = 6, unknown = 7,
};

enum class SyncKind : std::uint8_t { unknown = 0, event = 1, stream_wait_event = 2, stream = 3, context = 4 };

enum class ApiClass : std::uint8_t { runtime = 0, driver = 1 };

enum class OverheadKind : std::uint8_t {
  unknown = 1, driver_jit = 2, buffer_flush = 3, instrumentation = 4, resource = 5, module_load = 6,
  lazy_function_load = 7, command_buffer_full = 8,
};

enum class NvtxKind : std::uint8_t {
  category = 33, mark = 34, thread_name = 39, push_pop = 59, start_end = 60, domain_create = 75, domain_destroy = 76,
};

enum class LinkKind : std::uint8_t { pcie = 0, nvlink = 1 };

const char* name(CopyKind kind);    // "host to device"
const char* name(MemoryKind kind);  // "pageable"
const char* name(SyncKind kind);    // "stream"

}  // namespace gputrace::trace
