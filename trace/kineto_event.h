// One event of a PyTorch (Kineto) or other Chrome trace, decoded from its JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/kinds.h"
#include "trace/trace.h"

namespace gputrace::trace {

enum class KinetoCategory : std::uint8_t {
  kernel,
  copy,
  fill,
  synchronization,
  runtime_call,
  driver_call,
  overhead,
  graph_launch,
  range,
  not_read  // flows, counters, metadata that is not kept, spans that repeat others on another row
};

struct KinetoEvent {
  char phase = '\0';                      // 'X' a span, 'M' metadata
  std::string_view category;              // as written
  std::string_view name, pid, tid, id, args;  // JSON values
  std::optional<std::int64_t> start_ns, duration_ns;
};

struct KinetoArgs {  // what is absent keeps its default
  std::optional<std::int32_t> device, from_device, to_device;
  std::int32_t context = 0, stream = 0, registers_per_thread = 0, shared_bytes = 0;
  std::int64_t correlation = 0, bytes = 0, graph_node = 0;
  Dim3 grid, block;
  // What gputrace's own export adds; texts as JSON.
  std::optional<std::int64_t> process;
  std::string_view domain, category, mangled;
  std::int64_t graph = 0, graph_exec = 0;
  std::int32_t static_shared_bytes = 0, return_value = 0;
  std::uint32_t color_argb = 0;
};

KinetoEvent decode_event(std::string_view object);
KinetoArgs decode_args(std::string_view object);

// By the category's name, in the spelling of any version ("Kernel", "kernel").
KinetoCategory category_of(std::string_view category);

// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
struct CopyNature {
  CopyKind kind = CopyKind::unknown;
  MemoryKind source = MemoryKind::unknown, destination = MemoryKind::unknown;
};
CopyNature copy_nature(std::string_view name);
MemoryKind fill_memory(std::string_view name);
SyncKind sync_kind(std::string_view name);
OverheadKind overhead_kind(std::string_view name);

}  // namespace gputrace::trace
