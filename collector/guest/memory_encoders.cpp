// Allocations, pools, unified memory.
#include "collector/guest/kind_encoders.h"

#include <cstring>

#include <cupti.h>

#include "collector/guest/activity_encoder.h"

namespace gputrace::guest {

namespace {

using spool::RecordType;

void encode_memory(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityMemory4 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.timestamp)) return;
  spool::MemoryEventRecord out;
  out.header.id = in.correlationId;
  out.header.flags = static_cast<std::uint8_t>(number_at<offsetof(CUpti_ActivityMemory4, memoryOperationType)>(in));
  out.time_ns = in.timestamp;
  out.address = in.address;
  out.bytes = in.bytes;
  out.program_counter = in.PC;
  out.queue = {in.deviceId, in.contextId, in.streamId};
  out.memory = number_at<offsetof(CUpti_ActivityMemory4, memoryKind)>(in);
  out.name = in.name != nullptr ? encoder.lane().text(in.name) : 0;
  const auto& pool = in.memoryPoolConfig;
  out.pool_type = number_at<offsetof(CUpti_ActivityMemory4, memoryPoolConfig.memoryPoolType)>(in);
  out.pool_address = pool.address;
  out.pool_release_threshold = pool.releaseThreshold;
  out.pool_size_or_pid = pool.pool.size;
  out.pool_utilized_bytes = pool.utilizedSize;
  encoder.lane().write(RecordType::memory_event, out);
}

void encode_memory_pool(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityMemoryPool3 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.timestamp)) return;
  spool::MemoryPoolRecord out;
  out.header.id = in.correlationId;
  out.header.flags = static_cast<std::uint8_t>(number_at<offsetof(CUpti_ActivityMemoryPool3, memoryPoolOperationType)>(in));
  out.time_ns = in.timestamp;
  out.address = in.address;
  out.bytes = in.size;
  out.release_threshold = in.releaseThreshold;
  out.utilized_bytes = in.utilizedSize;
  out.bytes_to_keep = in.minBytesToKeep;
  out.device = in.deviceId;
  out.type = number_at<offsetof(CUpti_ActivityMemoryPool3, memoryPoolType)>(in);
  encoder.lane().write(RecordType::memory_pool_event, out);
}

void encode_unified_memory(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityUnifiedMemoryCounter3 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::UnifiedMemoryRecord out;
  out.header.flags = static_cast<std::uint8_t>(number_at<offsetof(CUpti_ActivityUnifiedMemoryCounter3, counterKind)>(in));
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.value = in.value;
  out.address = in.address;
  out.source = in.srcId;
  out.destination = in.dstId;
  out.stream = in.streamId;
  out.detail = in.flags;
  encoder.lane().write(RecordType::unified_memory, out);
}

}  // namespace

std::span<const KindEncoder> memory_kinds() {
  static constexpr KindEncoder kKinds[] = {
      {CUPTI_ACTIVITY_KIND_MEMORY2, encode_memory},
      {CUPTI_ACTIVITY_KIND_MEMORY_POOL, encode_memory_pool},
      {CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, encode_unified_memory},
  };
  return kKinds;
}

}  // namespace gputrace::guest
