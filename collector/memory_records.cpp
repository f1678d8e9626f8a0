// Allocations, pools, unified memory.
#include "collector/record_converter.h"

#include <fmt/format.h>

#include "collector/cupti_kinds.h"
#include "collector/spool_reader.h"

namespace gputrace::collector {

namespace {

// CUpti_ActivityUnifiedMemoryCounterKind
enum UnifiedMemoryKind : std::uint8_t { kHostToDevice = 1, kDeviceToHost = 2, kCpuPageFault = 3, kGpuPageFault = 4, kDeviceToDevice = 8 };

constexpr std::uint32_t kLocalPool = 1, kImportedPool = 2;  // CUpti_ActivityMemoryPoolType
constexpr std::uint8_t kRelease = 2;                        // CUpti_ActivityMemoryOperationType

std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }

trace::CopyKind unified_copy_kind(std::uint8_t kind) {
  if (kind == kHostToDevice) return trace::CopyKind::unified_host_to_device;
  return kind == kDeviceToHost ? trace::CopyKind::unified_device_to_host : trace::CopyKind::unified_device_to_device;
}

}  // namespace

void RecordConverter::memory_event(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::MemoryEventRecord>(bytes);
  if (record.time_ns == 0) return assembly_.count("memory operations for which CUPTI gave no time");
  const std::string name = text_of(lane, record.name);
  trace::MemoryUsageRow row;
  row.start_ns = cupti_time(record.time_ns);
  row.global_pid = global_pid_;
  row.device = static_cast<std::int32_t>(record.queue.device);
  row.context = static_cast<std::int32_t>(record.queue.context);
  row.stream = static_cast<std::int32_t>(record.queue.stream);
  row.address = whole(record.address);
  row.program_counter = whole(record.program_counter);
  row.bytes = whole(record.bytes);
  row.correlation = record.header.id;
  row.memory = memory_kind(record.memory);
  row.is_release = record.header.flags == kRelease;
  row.name = name;
  if (record.pool_type == kLocalPool) {
    row.local_pool_address = whole(record.pool_address);
    row.local_pool_release_threshold = whole(record.pool_release_threshold);
    row.local_pool_bytes = whole(record.pool_size_or_pid);
    row.local_pool_used_bytes = whole(record.pool_utilized_bytes);
  } else if (record.pool_type == kImportedPool) {
    row.imported_pool_address = whole(record.pool_address);
    row.imported_pool_pid = whole(record.pool_size_or_pid);
  }
  writer_.add(row);
}

void RecordConverter::memory_pool_event(Lane&, Bytes bytes) {
  const auto record = record_as<spool::MemoryPoolRecord>(bytes);
  if (record.time_ns == 0) return assembly_.count("memory pool operations for which CUPTI gave no time");
  trace::MemoryPoolRow row;
  row.start_ns = cupti_time(record.time_ns);
  row.global_pid = global_pid_;
  row.device = static_cast<std::int32_t>(record.device);
  row.address = whole(record.address);
  row.operation = record.header.flags;
  row.type = record.type;
  row.correlation = record.header.id;
  row.bytes_to_keep = whole(record.bytes_to_keep);
  if (record.type == kLocalPool) {
    row.release_threshold = whole(record.release_threshold);
    row.bytes = whole(record.bytes);
    row.used_bytes = whole(record.utilized_bytes);
  }
  writer_.add(row);
}

void RecordConverter::unified_memory(Lane&, Bytes bytes) {
  const auto record = record_as<spool::UnifiedMemoryRecord>(bytes);
  const std::uint8_t kind = record.header.flags;
  if (record.start_ns == 0 || (kind != kCpuPageFault && record.end_ns < record.start_ns)) {
    return assembly_.count("events of unified memory for which CUPTI gave no time");
  }
  switch (kind) {
    case kHostToDevice: case kDeviceToHost: case kDeviceToDevice: return migration(record);
    case kCpuPageFault:
      return writer_.add(trace::CpuPageFaultRow{.start_ns = cupti_time(record.start_ns), .global_pid = global_pid_,
                                                .address = whole(record.address), .program_counter = whole(record.value),
                                                .instruction = writer_.intern(fmt::format("0x{:x}", record.value))});
    case kGpuPageFault:
      return writer_.add(trace::GpuPageFaultRow{.start_ns = cupti_time(record.start_ns), .end_ns = cupti_time(record.end_ns),
                                                .global_pid = global_pid_, .device = static_cast<std::int32_t>(record.source),
                                                .address = whole(record.address), .faults = whole(record.value),
                                                .access = record.detail});
    default: return assembly_.count("events of unified memory of kinds that a trace has no place for");
  }
}

void RecordConverter::migration(const spool::UnifiedMemoryRecord& record) {
  trace::CopyRow row;
  row.kind = unified_copy_kind(record.header.flags);
  const std::uint32_t device = row.kind == trace::CopyKind::unified_device_to_host ? record.source : record.destination;
  if (!set_queue(row, record.start_ns, record.end_ns, {device, 0, record.stream}, 0)) return;
  row.bytes = whole(record.value);
  row.source_memory = row.destination_memory = trace::MemoryKind::managed;
  row.migration_cause = record.detail;
  row.virtual_address = whole(record.address);
  if (row.kind == trace::CopyKind::unified_device_to_device) {
    row.source_device = static_cast<std::int32_t>(record.source);
    row.destination_device = static_cast<std::int32_t>(record.destination);
  }
  writer_.add(row);
}

}  // namespace gputrace::collector
