// Work on the GPU.
#include "collector/guest/kind_encoders.h"

#include <cstring>

#include <cupti.h>

#include "collector/guest/activity_encoder.h"

namespace gputrace::guest {

namespace {

using spool::RecordType;

void encode_kernel(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityKernel10 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::ShapeRecord shape;
  shape.name = encoder.name_id(in.name);
  if (shape.name == 0 && in.name != nullptr && *in.name != '\0') return void(encoder.lane().drop());
  shape.device = in.deviceId;
  shape.context = in.contextId;
  shape.stream = in.streamId;
  shape.grid[0] = in.gridX, shape.grid[1] = in.gridY, shape.grid[2] = in.gridZ;
  shape.block[0] = in.blockX, shape.block[1] = in.blockY, shape.block[2] = in.blockZ;
  shape.registers_per_thread = in.registersPerThread;
  shape.static_shared_bytes = in.staticSharedMemory;
  shape.dynamic_shared_bytes = in.dynamicSharedMemory;
  shape.local_bytes_per_thread = in.localMemoryPerThread;
  shape.shared_bytes_executed = in.sharedMemoryExecuted;
  shape.graph = in.graphNodeId != 0 ? in.graphId : 0;
  shape.cluster[0] = in.clusterX, shape.cluster[1] = in.clusterY, shape.cluster[2] = in.clusterZ;
  shape.launch_type = in.launchType;
  shape.cache_config = in.cacheConfig.config.executed;
  shape.local_bytes_total = in.localMemoryTotal_v2 != 0 ? in.localMemoryTotal_v2 : in.localMemoryTotal;

  spool::KernelRecord out;
  out.header.id = encoder.shape_id(shape);
  if (out.header.id == 0) return;  // counted where the shape found no room
  out.start_ns = in.start;
  out.correlation = in.correlationId;
  out.grid_id = in.gridId;
  out.graph_node = in.graphNodeId;
  std::size_t size = offsetof(spool::KernelRecord, graph_node);
  if (out.graph_node != 0) size = offsetof(spool::KernelRecord, end_ns);
  const std::uint64_t duration = in.end - in.start;
  if (in.end >= in.start && duration <= UINT32_MAX) {
    out.duration_ns = static_cast<std::uint32_t>(duration);
  } else {
    out.end_ns = in.end;
    size = sizeof out;
  }
  encoder.lane().write(RecordType::kernel, out, size);
}

void encode_copy(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityMemcpy6 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::CopyRecord out;
  out.header.id = in.correlationId;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.bytes = in.bytes;
  out.queue = {in.deviceId, in.contextId, in.streamId};
  out.kind = in.copyKind;
  out.source_memory = in.srcKind;
  out.destination_memory = in.dstKind;
  out.graph_node = in.graphNodeId;
  encoder.lane().write(RecordType::copy, out, offsetof(spool::CopyRecord, source_device));
}

void encode_peer_copy(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityMemcpyPtoP4 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::CopyRecord out;
  out.header.id = in.correlationId;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.bytes = in.bytes;
  out.queue = {in.deviceId, in.contextId, in.streamId};
  out.kind = in.copyKind;
  out.source_memory = in.srcKind;
  out.destination_memory = in.dstKind;
  out.graph_node = in.graphNodeId;
  out.peer = 1;
  out.source_device = in.srcDeviceId;
  out.source_context = in.srcContextId;
  out.destination_device = in.dstDeviceId;
  out.destination_context = in.dstContextId;
  encoder.lane().write(RecordType::copy, out);
}

void encode_fill(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityMemset4 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::FillRecord out;
  out.header.id = in.correlationId;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.bytes = in.bytes;
  out.queue = {in.deviceId, in.contextId, in.streamId};
  out.value = in.value;
  out.memory = in.memoryKind;
  out.graph_node = in.graphNodeId;
  encoder.lane().write(RecordType::fill, out);
}

void encode_synchronization(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivitySynchronization2 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::SynchronizationRecord out;
  out.header.id = in.correlationId;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.context = in.contextId;
  out.stream = in.streamId;
  out.type = static_cast<std::uint32_t>(in.type);
  out.event = in.cudaEventId;
  out.event_sync = in.cudaEventSyncId;
  encoder.lane().write(RecordType::synchronization, out);
}

void encode_cuda_event(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityCudaEvent2 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.deviceTimestamp)) return;
  spool::CudaEventRecord out;
  out.header.id = in.correlationId;
  const bool has_device = bytes >= offsetof(CUpti_ActivityCudaEvent2, deviceId) + sizeof in.deviceId;
  out.header.flags = has_device ? spool::kHasDevice : 0;
  out.timestamp_ns = in.deviceTimestamp;
  out.event_sync = in.cudaEventSyncId;
  out.queue = {in.deviceId, in.contextId, in.streamId};
  out.event = in.eventId;
  encoder.lane().write(RecordType::cuda_event, out);
}

void encode_graph_launch(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityGraphTrace2 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::GraphLaunchRecord out;
  out.header.id = in.correlationId;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.queue = {in.deviceId, in.contextId, in.streamId};
  out.graph = in.graphId;
  encoder.lane().write(RecordType::graph_launch, out);
}

}  // namespace

std::span<const KindEncoder> gpu_kinds() {
  // CONCURRENT_KERNEL, not KERNEL, which serialises the program's kernels.
  static constexpr KindEncoder kKinds[] = {
      {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, encode_kernel},
      {CUPTI_ACTIVITY_KIND_MEMCPY, encode_copy},
      {CUPTI_ACTIVITY_KIND_MEMCPY2, encode_peer_copy},
      {CUPTI_ACTIVITY_KIND_MEMSET, encode_fill},
      {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, encode_synchronization},
      {CUPTI_ACTIVITY_KIND_CUDA_EVENT, encode_cuda_event},
      {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, encode_graph_launch},
  };
  return kKinds;
}

}  // namespace gputrace::guest
