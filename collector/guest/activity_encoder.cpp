#include "collector/guest/activity_encoder.h"

#include <algorithm>
#include <cstring>

#include <cupti.h>

#include "collector/checksum.h"

namespace gputrace::guest {

namespace {

using spool::RecordType;

constexpr std::size_t kNameSlots = 4096;
constexpr std::size_t kMaxShapes = std::size_t{1} << 16;
constexpr std::uint32_t kMaxCallbacks = 4096;

// A record as our headers know it, though the loaded library's may be shorter (older: the rest reads as 0) or longer.
template <class T>
const T& view(const std::uint8_t* record, std::uint32_t bytes, T& scratch) {
  if (bytes >= sizeof(T)) return *reinterpret_cast<const T*>(record);
  std::memset(&scratch, 0, sizeof scratch);
  std::memcpy(&scratch, record, bytes);
  return scratch;
}

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

void encode_api_call(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityAPI scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  const bool driver = in.kind == CUPTI_ACTIVITY_KIND_DRIVER;
  spool::ApiCallRecord out;
  out.header.id = in.correlationId;
  out.header.flags = driver ? spool::kDriver : 0;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.tid = in.threadId;
  out.name = encoder.callback_name_id(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, in.cbid);
  out.return_value = in.returnValue;
  encoder.lane().write(RecordType::api_call, out);
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

void encode_overhead(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityOverhead3 scratch;
  const auto& in = view(data, bytes, scratch);
  if (!encoder.keeps(in.start)) return;
  spool::OverheadRecord out;
  out.header.id = in.correlationId;
  out.start_ns = in.start;
  out.end_ns = in.end;
  out.kind = static_cast<std::uint32_t>(in.overheadKind);
  out.tid = in.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? in.objectId.pt.threadId : 0;
  encoder.lane().write(RecordType::overhead, out);
}

void encode_name(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityName scratch;
  const auto& in = view(data, bytes, scratch);
  if (in.objectKind != CUPTI_ACTIVITY_OBJECT_THREAD || in.name == nullptr) return;
  spool::ThreadNameRecord out;
  out.text = encoder.lane().text(in.name);
  out.tid = in.objectId.pt.threadId;
  encoder.lane().write(RecordType::thread_name, out);
}

void encode_device(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityDevice5 scratch;
  const auto& in = view(data, bytes, scratch);
  spool::DeviceRecord out;
  out.header.id = in.id;
  out.name = in.name != nullptr ? encoder.lane().text(in.name) : 0;
  out.memory_bytes = in.globalMemorySize;
  out.bandwidth_kb_per_s = in.globalMemoryBandwidth;
  out.clock_khz = in.coreClockRate;
  out.sm_count = in.numMultiprocessors;
  out.compute_major = in.computeCapabilityMajor;
  out.compute_minor = in.computeCapabilityMinor;
  out.max_warps_per_sm = in.maxWarpsPerMultiprocessor;
  out.threads_per_warp = in.numThreadsPerWarp;
  out.max_blocks_per_sm = in.maxBlocksPerMultiprocessor;
  out.registers_per_sm = in.maxRegistersPerMultiprocessor;
  out.shared_bytes_per_sm = in.maxSharedMemoryPerMultiprocessor;
  out.copy_engines = in.numMemcpyEngines;
  std::memcpy(out.uuid, &in.uuid, sizeof out.uuid);
  encoder.lane().write(RecordType::device, out);
}

void encode_context(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityContext3 scratch;
  const auto& in = view(data, bytes, scratch);
  encoder.lane().write(RecordType::context, spool::ContextRecord{{.id = in.contextId}, in.deviceId, in.nullStreamId});
}

void encode_stream(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityStream scratch;
  const auto& in = view(data, bytes, scratch);
  encoder.lane().write(RecordType::stream, spool::StreamRecord{{.id = in.streamId}, in.contextId, in.priority,
                                                               static_cast<std::uint32_t>(in.flag), 0});
}

void encode_pcie(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityPcie scratch;
  const auto& in = view(data, bytes, scratch);
  spool::PcieRecord out;
  out.bridge = in.type == CUPTI_PCIE_DEVICE_TYPE_BRIDGE;
  out.header.id = out.bridge ? in.id.bridgeId : static_cast<std::uint32_t>(in.id.devId);
  out.domain = in.domain;
  out.generation = in.pcieGeneration;
  out.rate = in.linkRate;
  out.width = in.linkWidth;
  out.upstream_bus = in.upstreamBus;
  out.secondary_bus = out.bridge ? in.attr.bridgeAttr.secondaryBus : 0;
  encoder.lane().write(RecordType::pcie, out);
}

void encode_nvlink(ActivityEncoder& encoder, const std::uint8_t* data, std::uint32_t bytes) {
  CUpti_ActivityNvLink4 scratch;
  const auto& in = view(data, bytes, scratch);
  spool::NvlinkRecord out;
  out.version = in.nvlinkVersion;
  out.count = in.physicalNvLinkCount;
  out.type[0] = static_cast<std::uint32_t>(in.typeDev0);
  out.type[1] = static_cast<std::uint32_t>(in.typeDev1);
  std::memcpy(out.end[0], &in.idDev0, sizeof out.end[0]);
  std::memcpy(out.end[1], &in.idDev1, sizeof out.end[1]);
  out.bandwidth_kb_per_s = in.bandwidth;
  encoder.lane().write(RecordType::nvlink, out);
}

using Encode = void (*)(ActivityEncoder&, const std::uint8_t*, std::uint32_t);

struct KindEncoder {
  std::uint32_t kind;
  Encode encode;
};

// CONCURRENT_KERNEL, not KERNEL, which serialises the program's kernels.
constexpr KindEncoder kEncoders[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, encode_kernel}, {CUPTI_ACTIVITY_KIND_MEMCPY, encode_copy},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, encode_peer_copy},        {CUPTI_ACTIVITY_KIND_MEMSET, encode_fill},
    {CUPTI_ACTIVITY_KIND_RUNTIME, encode_api_call},         {CUPTI_ACTIVITY_KIND_DRIVER, encode_api_call},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, encode_synchronization},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, encode_cuda_event},    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, encode_graph_launch},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, encode_overhead},        {CUPTI_ACTIVITY_KIND_NAME, encode_name},
    {CUPTI_ACTIVITY_KIND_DEVICE, encode_device},            {CUPTI_ACTIVITY_KIND_CONTEXT, encode_context},
    {CUPTI_ACTIVITY_KIND_STREAM, encode_stream},            {CUPTI_ACTIVITY_KIND_PCIE, encode_pcie},
    {CUPTI_ACTIVITY_KIND_NVLINK, encode_nvlink}};

constexpr auto kEncoderOf = [] {
  std::array<Encode, kMaxActivityKinds> table{};
  for (const KindEncoder& entry : kEncoders) table[entry.kind] = entry.encode;
  table[CUPTI_ACTIVITY_KIND_KERNEL] = encode_kernel;
  return table;
}();

}  // namespace

ActivityEncoder::ActivityEncoder(const CuptiLibrary& cupti, Lane& lane,
                                 const std::array<std::uint32_t, kMaxActivityKinds>& record_bytes)
    : cupti_(cupti), lane_(lane), record_bytes_(record_bytes), names_(kNameSlots), shapes_(1024) {}

const std::vector<std::uint32_t>& ActivityEncoder::kinds() {
  static const std::vector<std::uint32_t> kinds = [] {
    std::vector<std::uint32_t> all;
    for (const KindEncoder& entry : kEncoders) all.push_back(entry.kind);
    return all;
  }();
  return kinds;
}

void ActivityEncoder::encode_buffer(std::uint8_t* buffer, std::size_t valid_bytes) {
  void* record = nullptr;
  while (cupti_.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    const auto* at = static_cast<const std::uint8_t*>(record);
    std::uint32_t kind;
    std::memcpy(&kind, at, sizeof kind);
    if (kind < kMaxActivityKinds) encode(at, record_bytes_[kind]);
  }
}

void ActivityEncoder::encode(const std::uint8_t* record, std::uint32_t bytes) {
  std::uint32_t kind;
  std::memcpy(&kind, record, sizeof kind);
  if (kind < kMaxActivityKinds && kEncoderOf[kind] != nullptr && bytes != 0) kEncoderOf[kind](*this, record, bytes);
}

std::uint32_t ActivityEncoder::name_id(const char* name) {
  if (name == nullptr) return 0;
  forget_names_if_stale();
  NameSlot& slot = names_[(reinterpret_cast<std::uintptr_t>(name) * 0x9E3779B97F4A7C15) >> 52];
  static_assert(kNameSlots == std::size_t{1} << (64 - 52));
  if (slot.address == name && std::strcmp(slot.text, name) == 0) return slot.id;
  const auto entry = lane_.text_entry(name);
  forget_names_if_stale();
  if (entry.text != nullptr) slot = {name, entry.text, entry.id};
  return entry.id;
}

std::uint32_t ActivityEncoder::callback_name_id(std::uint32_t domain, std::uint32_t callback) {
  forget_names_if_stale();
  if (callback >= kMaxCallbacks || cupti_.callback_name == nullptr) return 0;
  auto& known = callback_names_[domain == CUPTI_CB_DOMAIN_DRIVER_API];
  if (callback < known.size() && known[callback] != 0) return known[callback];
  const char* name = nullptr;
  if (cupti_.callback_name(domain, callback, &name) != CUPTI_SUCCESS || name == nullptr) return 0;
  const std::uint32_t id = lane_.text(name);
  forget_names_if_stale();
  if (callback >= known.size()) known.resize(callback + std::size_t{1});
  known[callback] = id;
  return id;
}

void ActivityEncoder::forget_names_if_stale() {
  if (name_generation_ == lane_.text_generation()) return;
  name_generation_ = lane_.text_generation();
  std::fill(names_.begin(), names_.end(), NameSlot{});
  for (auto& known : callback_names_) known.clear();
}

std::uint32_t ActivityEncoder::shape_id(spool::ShapeRecord& shape) {
  constexpr std::size_t kSkip = sizeof(spool::RecordHeader);
  const auto* content = reinterpret_cast<const std::uint8_t*>(&shape) + kSkip;
  const std::size_t mask = shapes_.size() - 1;
  std::size_t at = spool::checksum(content, sizeof shape - kSkip) & mask;
  for (; shapes_[at].header.id != 0; at = (at + 1) & mask) {
    if (std::memcmp(reinterpret_cast<const std::uint8_t*>(&shapes_[at]) + kSkip, content, sizeof shape - kSkip) == 0) {
      return shapes_[at].header.id;
    }
  }
  shape.header.id = next_shape_ + 1;
  if (!lane_.write(RecordType::shape, shape)) return 0;
  ++next_shape_;
  shapes_[at] = shape;
  if (++shape_count_ * 2 > shapes_.size()) grow_shapes();
  return shape.header.id;
}

// A program whose every launch differs must not fill memory: from a limit on, the dictionary starts anew.
void ActivityEncoder::grow_shapes() {
  if (shape_count_ >= kMaxShapes) {
    std::fill(shapes_.begin(), shapes_.end(), spool::ShapeRecord{});
    shape_count_ = 0;
    return;
  }
  std::vector<spool::ShapeRecord> old(shapes_.size() * 2);
  old.swap(shapes_);
  const std::size_t mask = shapes_.size() - 1;
  for (const spool::ShapeRecord& shape : old) {
    if (shape.header.id == 0) continue;
    constexpr std::size_t kSkip = sizeof(spool::RecordHeader);
    std::size_t at =
        spool::checksum(reinterpret_cast<const std::uint8_t*>(&shape) + kSkip, sizeof shape - kSkip) & mask;
    while (shapes_[at].header.id != 0) at = (at + 1) & mask;
    shapes_[at] = shape;
  }
}

}  // namespace gputrace::guest
