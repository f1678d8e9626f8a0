#include "trace/kinds.h"

#include "trace/trace.h"

namespace gputrace::trace {

const char* name(CopyKind kind) {
  switch (kind) {
    case CopyKind::unknown:
      return "unknown";
    case CopyKind::host_to_device:
      return "host to device";
    case CopyKind::device_to_host:
      return "device to host";
    case CopyKind::host_to_array:
      return "host to array";
    case CopyKind::array_to_host:
      return "array to host";
    case CopyKind::array_to_array:
      return "array to array";
    case CopyKind::array_to_device:
      return "array to device";
    case CopyKind::device_to_array:
      return "device to array";
    case CopyKind::device_to_device:
      return "device to device";
    case CopyKind::host_to_host:
      return "host to host";
    case CopyKind::peer_to_peer:
      return "peer to peer";
    case CopyKind::unified_host_to_device:
      return "unified host to device";
    case CopyKind::unified_device_to_host:
      return "unified device to host";
    case CopyKind::unified_device_to_device:
      return "unified device to device";
  }
  return "unknown";
}

const char* name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable:
      return "pageable";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::device:
      return "device";
    case MemoryKind::array:
      return "array";
    case MemoryKind::managed:
      return "managed";
    case MemoryKind::device_static:
      return "device static";
    case MemoryKind::managed_static:
      return "managed static";
    case MemoryKind::unknown:
      return "unknown";
  }
  return "unknown";
}

const char* name(SyncKind kind) {
  switch (kind) {
    case SyncKind::unknown:
      return "unknown";
    case SyncKind::event:
      return "event";
    case SyncKind::stream_wait_event:
      return "stream waits for event";
    case SyncKind::stream:
      return "stream";
    case SyncKind::context:
      return "context";
  }
  return "unknown";
}

const char* name(Table table) {
  switch (table) {
    case Table::kernels:
      return "kernels";
    case Table::copies:
      return "copies";
    case Table::fills:
      return "fills";
    case Table::synchronizations:
      return "synchronizations";
    case Table::cuda_events:
      return "CUDA events";
    case Table::graph_launches:
      return "graph launches";
    case Table::api_calls:
      return "API calls";
    case Table::overheads:
      return "overheads";
    case Table::nvtx:
      return "NVTX ranges";
    case Table::gpus:
      return "GPUs";
    case Table::links:
      return "links";
    case Table::op_placements:
      return "op placements";
    case Table::count:
      break;
  }
  return "unknown";
}

}  // namespace gputrace::trace
