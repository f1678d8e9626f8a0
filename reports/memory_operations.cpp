#include "reports/memory_operations.h"

namespace gputrace::reports {

using trace::CopyKind;

const char* memory_operation_name(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return "[CUDA memcpy Host-to-Device]";
    case CopyKind::device_to_host:
      return "[CUDA memcpy Device-to-Host]";
    case CopyKind::host_to_array:
      return "[CUDA memcpy Host-to-Array]";
    case CopyKind::array_to_host:
      return "[CUDA memcpy Array-to-Host]";
    case CopyKind::array_to_array:
      return "[CUDA memcpy Array-to-Array]";
    case CopyKind::array_to_device:
      return "[CUDA memcpy Array-to-Device]";
    case CopyKind::device_to_array:
      return "[CUDA memcpy Device-to-Array]";
    case CopyKind::device_to_device:
      return "[CUDA memcpy Device-to-Device]";
    case CopyKind::host_to_host:
      return "[CUDA memcpy Host-to-Host]";
    case CopyKind::peer_to_peer:
      return "[CUDA memcpy Peer-to-Peer]";
    case CopyKind::unified_host_to_device:
      return "[CUDA memcpy Unified Host-to-Device]";
    case CopyKind::unified_device_to_host:
      return "[CUDA memcpy Unified Device-to-Host]";
    case CopyKind::unified_device_to_device:
      return "[CUDA memcpy Unified Device-to-Device]";
    case CopyKind::unknown:
      break;
  }
  return "[CUDA memcpy Unknown]";
}

const char* fill_name() { return "[CUDA memset]"; }

bool has_memory_operations(const trace::Trace& trace) {
  return trace.has(trace::Table::copies) || trace.has(trace::Table::fills);
}

ValueGroups memory_durations_ns(const trace::Trace& trace) {
  ValueGroups groups;
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    add_value(groups, memory_operation_name(trace.copies.kind[i]), trace.copies.span(i).duration_ns());
  }
  for (std::size_t i = 0; i < trace.fills.size(); ++i)
    add_value(groups, fill_name(), trace.fills.span(i).duration_ns());
  return groups;
}

ValueGroups gpu_durations_ns(const trace::Trace& trace) {
  const trace::Kernels& kernels = trace.kernels;
  ValueGroups groups = group_rows(
      kernels.name, [&](std::size_t i) { return kernels.span(i).duration_ns(); },
      [&](trace::StringId name) { return paired("CUDA_KERNEL", trace.text(name)); });
  for (auto& [name, durations_ns] : memory_durations_ns(trace)) groups[paired("MEMORY_OPER", name)] = std::move(durations_ns);
  return groups;
}

ValueGroups memory_sizes_bytes(const trace::Trace& trace) {
  ValueGroups groups;
  for (std::size_t i = 0; i < trace.copies.size(); ++i) {
    if (trace.copies.has_size(i)) add_value(groups, memory_operation_name(trace.copies.kind[i]), trace.copies.bytes[i]);
  }
  for (std::size_t i = 0; i < trace.fills.size(); ++i) add_value(groups, fill_name(), trace.fills.bytes[i]);
  return groups;
}

}  // namespace gputrace::reports
