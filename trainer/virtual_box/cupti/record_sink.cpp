#include "trainer/virtual_box/cupti/record_sink.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include <pthread.h>

#include "trainer/virtual_box/cupti/machine_records.h"

namespace trainer::virtual_box {
namespace {

std::uint64_t time_of(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }
std::uint32_t process_id() { return static_cast<std::uint32_t>(getpid()); }

CUpti_CallbackId callback_of(Api api) {
  switch (api) {
    case Api::set_device: return CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020;
    case Api::allocate_device: return CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020;
    case Api::allocate_pinned: return CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020;
    case Api::allocate_managed: return CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000;
    case Api::free_device: return CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020;
    case Api::free_pinned: return CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020;
    case Api::create_stream: return CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreateWithFlags_v5000;
    case Api::create_event: return CUPTI_RUNTIME_TRACE_CBID_cudaEventCreateWithFlags_v3020;
    case Api::launch_kernel: return CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
    case Api::copy: return CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020;
    case Api::copy_peer: return CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000;
    case Api::fill: return CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020;
    case Api::record_event: return CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020;
    case Api::wait_event: return CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020;
    case Api::synchronize_stream: return CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020;
    case Api::synchronize_event: return CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020;
    case Api::synchronize_device: return CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020;
  }
  return CUPTI_RUNTIME_TRACE_CBID_INVALID;
}

CUpti_ActivityMemoryKind memory_kind(Memory memory) {
  switch (memory) {
    case Memory::device: return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    case Memory::pageable: return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    case Memory::pinned: return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    case Memory::managed: return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  }
  return CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN;
}

CUpti_ActivityMemcpyKind copy_kind(Memory from, Memory to) {
  const bool from_device = from == Memory::device, to_device = to == Memory::device;
  if (from_device) return to_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  return to_device ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
}

template <class Record>
void set_place(Record& record, const Place& place) {
  record.deviceId = static_cast<std::uint32_t>(place.device);
  record.contextId = place.context;
  record.streamId = place.stream;
}

template <class Record, class Activity>
Record timed_record(CUpti_ActivityKind kind, const Activity& activity) {
  Record record{};
  record.kind = kind;
  record.start = time_of(activity.start_ns);
  record.end = time_of(activity.end_ns);
  record.correlationId = activity.correlation;
  return record;
}

struct ExternalId {
  CUpti_ExternalCorrelationKind kind;
  std::uint64_t id;
};
thread_local std::vector<ExternalId> t_external_ids;  // stacks of all kinds in one

}  // namespace

std::uint32_t RecordSink::thread_id() const {
  if (system_thread_ids) return static_cast<std::uint32_t>(syscall(SYS_gettid));
  return static_cast<std::uint32_t>(pthread_self());  // CUPTI's default on Linux: its low 32 bits
}

const char* RecordSink::interned(std::string_view name) { return names_.emplace(name).first->c_str(); }

std::string RecordSink::metadata() const {
  const std::lock_guard lock(described_);
  return "simulated=true\nmachine=" + machine_ + "\n";
}

void RecordSink::enable(CUpti_ActivityKind kind, bool on) {
  const bool was_on = enabled_[static_cast<std::size_t>(kind)].exchange(on);
  if (on && !was_on) record_existing(kind);
}

void RecordSink::record_existing(CUpti_ActivityKind kind) {
  const std::lock_guard lock(described_);
  const auto append_all = [this](const auto& records) {
    for (const auto& record : records) buffers_.append(record);
  };
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) append_all(devices_);
  if (kind == CUPTI_ACTIVITY_KIND_PCIE) append_all(pcie_);
  if (kind == CUPTI_ACTIVITY_KIND_NVLINK) append_all(nvlinks_);
  if (kind == CUPTI_ACTIVITY_KIND_CONTEXT) append_all(contexts_);
  if (kind == CUPTI_ACTIVITY_KIND_STREAM) append_all(streams_);
}

void RecordSink::describe(const MachineProfile& machine) {
  const std::lock_guard lock(described_);
  machine_ = machine.name;
  devices_ = device_records(machine, interned(machine.gpu.name));
  pcie_ = pcie_records(machine);
  nvlinks_ = nvlink_records(machine);
  contexts_.clear();
  streams_.clear();
}

void RecordSink::add_context(const Place& place) {
  CUpti_ActivityContext3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  record.contextId = place.context;
  record.deviceId = static_cast<std::uint32_t>(place.device);
  record.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  record.nullStreamId = static_cast<std::uint16_t>(place.stream);
  const std::lock_guard lock(described_);
  record.numMultiprocessors = static_cast<std::uint16_t>(devices_[static_cast<std::size_t>(place.device)].numMultiprocessors);
  contexts_.push_back(record);
  if (enabled(CUPTI_ACTIVITY_KIND_CONTEXT)) buffers_.append(record);
}

void RecordSink::add(const StreamActivity& activity) {
  CUpti_ActivityStream record{};
  record.kind = CUPTI_ACTIVITY_KIND_STREAM;
  record.contextId = activity.place.context;
  record.streamId = activity.place.stream;
  record.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  record.correlationId = activity.correlation;
  const std::lock_guard lock(described_);
  streams_.push_back(record);
  if (enabled(CUPTI_ACTIVITY_KIND_STREAM)) buffers_.append(record);
}

void RecordSink::add(const ApiActivity& activity) {
  if (enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) add_external_ids(activity.correlation);
  if (!enabled(CUPTI_ACTIVITY_KIND_RUNTIME)) return;
  auto record = timed_record<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME, activity);
  record.cbid = callback_of(activity.api);
  record.processId = process_id();
  record.threadId = thread_id();
  buffers_.append(record);
}

void RecordSink::push_external_id(CUpti_ExternalCorrelationKind kind, std::uint64_t id) { t_external_ids.push_back({kind, id}); }

bool RecordSink::pop_external_id(CUpti_ExternalCorrelationKind kind, std::uint64_t* id) {
  for (auto entry = t_external_ids.rbegin(); entry != t_external_ids.rend(); ++entry) {
    if (entry->kind != kind) continue;
    if (id) *id = entry->id;
    t_external_ids.erase(std::next(entry).base());
    return true;
  }
  return false;
}

void RecordSink::add_external_ids(std::uint32_t correlation) {
  std::array<bool, CUPTI_EXTERNAL_CORRELATION_KIND_SIZE> seen{};
  for (auto entry = t_external_ids.rbegin(); entry != t_external_ids.rend(); ++entry) {
    if (std::exchange(seen[static_cast<std::size_t>(entry->kind)], true)) continue;
    CUpti_ActivityExternalCorrelation record{};
    record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    record.externalKind = entry->kind;
    record.externalId = entry->id;
    record.correlationId = correlation;
    buffers_.append(record);
  }
}

void RecordSink::add(const KernelActivity& activity) {
  if (!enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  const KernelLaunch& launch = activity.launch;
  auto record = timed_record<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, activity);
  set_place(record, activity.place);
  record.completed = record.end;
  record.registersPerThread = static_cast<std::uint16_t>(launch.registers_per_thread);
  record.gridX = static_cast<std::int32_t>(launch.grid.x);
  record.gridY = static_cast<std::int32_t>(launch.grid.y);
  record.gridZ = static_cast<std::int32_t>(launch.grid.z);
  record.blockX = static_cast<std::int32_t>(launch.block.x);
  record.blockY = static_cast<std::int32_t>(launch.block.y);
  record.blockZ = static_cast<std::int32_t>(launch.block.z);
  record.staticSharedMemory = static_cast<std::int32_t>(launch.static_shared_bytes);
  record.dynamicSharedMemory = static_cast<std::int32_t>(launch.dynamic_shared_bytes);
  record.sharedMemoryExecuted = launch.static_shared_bytes + launch.dynamic_shared_bytes;
  record.gridId = activity.grid_id;
  record.name = interned(launch.mangled_name);
  record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  buffers_.append(record);
}

void RecordSink::add(const CopyActivity& activity) {
  const bool on_devices = activity.from == Memory::device && activity.to == Memory::device;
  if (on_devices && activity.from_device != activity.to_device) return add_peer_copy(activity);
  if (!enabled(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  auto record = timed_record<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, activity);
  set_place(record, activity.place);
  record.copyKind = static_cast<std::uint8_t>(copy_kind(activity.from, activity.to));
  record.srcKind = static_cast<std::uint8_t>(memory_kind(activity.from));
  record.dstKind = static_cast<std::uint8_t>(memory_kind(activity.to));
  record.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  record.bytes = activity.bytes;
  record.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  record.copyCount = 1;
  buffers_.append(record);
}

void RecordSink::add_peer_copy(const CopyActivity& activity) {
  if (!enabled(CUPTI_ACTIVITY_KIND_MEMCPY2)) return;
  auto record = timed_record<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2, activity);
  set_place(record, activity.place);
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  record.srcKind = record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  record.bytes = activity.bytes;
  record.srcDeviceId = static_cast<std::uint32_t>(activity.from_device);
  record.dstDeviceId = static_cast<std::uint32_t>(activity.to_device);
  record.srcContextId = record.srcDeviceId + 1;  // the machine numbers contexts so
  record.dstContextId = record.dstDeviceId + 1;
  record.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  buffers_.append(record);
}

void RecordSink::add(const FillActivity& activity) {
  if (!enabled(CUPTI_ACTIVITY_KIND_MEMSET)) return;
  auto record = timed_record<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, activity);
  set_place(record, activity.place);
  record.value = activity.value;
  record.bytes = activity.bytes;
  record.flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC;
  record.memoryKind = static_cast<std::uint16_t>(memory_kind(activity.memory));
  record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  buffers_.append(record);
}

void RecordSink::add(const SynchronizationActivity& activity) {
  if (!enabled(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
  constexpr CUpti_ActivitySynchronizationType kTypes[] = {
      CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT,
      CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE};
  const bool of_event = activity.type == Waited::event || activity.type == Waited::stream_for_event;
  const bool of_stream = activity.type == Waited::stream || activity.type == Waited::stream_for_event;
  auto record = timed_record<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, activity);
  record.type = kTypes[static_cast<std::size_t>(activity.type)];
  record.contextId = activity.place.context;
  record.streamId = of_stream ? activity.place.stream : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  record.cudaEventId = of_event ? activity.event : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  record.cudaEventSyncId = activity.record_id;
  buffers_.append(record);
}

void RecordSink::add(const EventActivity& activity) {
  if (!enabled(CUPTI_ACTIVITY_KIND_CUDA_EVENT)) return;
  CUpti_ActivityCudaEvent2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  record.correlationId = activity.correlation;
  set_place(record, activity.place);
  record.eventId = activity.event;
  record.deviceTimestamp = event_timestamps ? time_of(activity.device_ns) : 0;
  record.cudaEventSyncId = activity.record_id;
  buffers_.append(record);
}

void RecordSink::add(const MigrationActivity& activity) {
  if (!enabled(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)) return;
  CUpti_ActivityUnifiedMemoryCounter3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
  record.counterKind = activity.to_device ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
                                          : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  record.value = activity.bytes;
  record.start = time_of(activity.start_ns);
  record.end = time_of(activity.end_ns);
  record.address = activity.address;
  const auto device = static_cast<std::uint32_t>(activity.place.device);
  record.srcId = activity.to_device ? CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID : device;
  record.dstId = activity.to_device ? device : CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID;
  record.streamId = activity.place.stream;
  record.processId = process_id();
  record.flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE;
  buffers_.append(record);
}

void RecordSink::add(const QueueFullActivity& activity) {
  if (!enabled(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  static CUpti_ActivityOverheadCommandBufferFullData full{0, 0, CUPTI_CHANNEL_TYPE_COMPUTE};  // records point to it
  auto record = timed_record<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD, activity);
  record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = process_id();
  record.objectId.pt.threadId = thread_id();
  record.overheadData = &full;
  buffers_.append(record);
}

}  // namespace trainer::virtual_box
