#include "tests/collector/fake_cupti/fake_cupti.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <cupti.h>

namespace {

CUpti_BuffersCallbackRequestFunc g_request = nullptr;
CUpti_BuffersCallbackCompleteFunc g_complete = nullptr;
std::atomic<bool> g_enabled[CUPTI_ACTIVITY_KIND_COUNT];
std::atomic<std::int64_t> g_ahead{0};
std::atomic<std::uint32_t> g_correlation{0};
std::mutex g_lock;  // of the buffer below
std::uint8_t* g_buffer = nullptr;
std::size_t g_size = 0, g_used = 0, g_dropped = 0;
std::uint64_t g_kernels = 0;  // ever in a buffer
CUpti_CallbackFunc g_callback = nullptr;
void* g_callback_user = nullptr;
std::atomic<bool> g_unified_memory{false}, g_page_faults{false};  // as configured
std::atomic<bool> g_callback_enabled[2];  // cuProfilerStart, cuProfilerStop

void call_back(CUpti_CallbackId id, CUpti_ApiCallbackSite site) {
  CUpti_CallbackData data{};
  data.callbackSite = site;
  g_callback(g_callback_user, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

std::size_t record_bytes(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME: case CUPTI_ACTIVITY_KIND_DRIVER: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: return sizeof(CUpti_ActivityCudaEvent2);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_DEVICE: return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_CONTEXT: return sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_STREAM: return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_PCIE: return sizeof(CUpti_ActivityPcie);
    case CUPTI_ACTIVITY_KIND_NVLINK: return sizeof(CUpti_ActivityNvLink4);
    case CUPTI_ACTIVITY_KIND_ENVIRONMENT: return sizeof(CUpti_ActivityEnvironment);
    case CUPTI_ACTIVITY_KIND_MEMORY2: return sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL: return sizeof(CUpti_ActivityMemoryPool3);
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER: return sizeof(CUpti_ActivityUnifiedMemoryCounter3);
    case CUPTI_ACTIVITY_KIND_JIT: return sizeof(CUpti_ActivityJit2);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return sizeof(CUpti_ActivityExternalCorrelation);
    default: return 0;
  }
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec + g_ahead);
}

FakeCuptiLog* open_log() {
  const char* path = std::getenv("FAKE_CUPTI_LOG");
  const int file = path != nullptr ? open(path, O_RDWR | O_CREAT, 0600) : -1;
  if (file < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (ftruncate(file, sizeof(FakeCuptiLog)) == 0) {
    memory = mmap(nullptr, sizeof(FakeCuptiLog), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  return memory != MAP_FAILED ? static_cast<FakeCuptiLog*>(memory) : nullptr;
}

FakeCuptiLog* log() {
  static FakeCuptiLog* const opened = open_log();
  return opened;
}

void log_completed_locked() {
  FakeCuptiLog* to = log();
  if (to == nullptr || to->entries >= FakeCuptiLog::kMostEntries) return;
  to->entry[to->entries] = {static_cast<std::int64_t>(now()), g_kernels};
  ++to->entries;
}

void complete_locked() {
  if (g_buffer != nullptr && g_complete != nullptr) {
    g_complete(nullptr, 0, g_buffer, g_size, g_used);
    log_completed_locked();
  }
  g_buffer = nullptr;
  g_used = 0;
}

// With FAKE_CUPTI_PER_THREAD each thread fills a buffer of its own and hands it over itself, as some versions of CUPTI do, with no
// lock around the callbacks.
struct OwnBuffer {
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0, used = 0;
  ~OwnBuffer() { complete(); }
  void complete() {
    if (data != nullptr) g_complete(nullptr, 0, data, bytes, used);
    data = nullptr;
    used = 0;
  }
};
thread_local OwnBuffer t_buffer;

template <class Record>
void emit_to_own(const Record& record) {
  if (t_buffer.data != nullptr && t_buffer.used + sizeof record > t_buffer.bytes) t_buffer.complete();
  std::size_t most = 0;
  if (t_buffer.data == nullptr) g_request(&t_buffer.data, &t_buffer.bytes, &most);
  if (t_buffer.data == nullptr) {
    const std::lock_guard held(g_lock);
    return void(++g_dropped);
  }
  std::memcpy(t_buffer.data + t_buffer.used, &record, sizeof record);
  t_buffer.used += sizeof record;
}

template <class Record>
void emit(const Record& record) {
  static const bool per_thread = std::getenv("FAKE_CUPTI_PER_THREAD") != nullptr;
  if (per_thread && g_request != nullptr && g_enabled[record.kind]) return emit_to_own(record);
  const std::lock_guard held(g_lock);
  if (g_request == nullptr || !g_enabled[record.kind]) return;
  if (g_buffer != nullptr && g_used + sizeof record > g_size) complete_locked();
  if (g_buffer == nullptr) {
    std::size_t most = 0;
    g_request(&g_buffer, &g_size, &most);
  }
  if (g_buffer == nullptr) return void(++g_dropped);
  std::memcpy(g_buffer + g_used, &record, sizeof record);
  g_used += sizeof record;
  g_kernels += record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

template <class Record>
Record timed(CUpti_ActivityKind kind) {
  Record record{};
  record.kind = kind;
  record.start = now();
  record.end = record.start + 1000;
  return record;
}

void machine() {
  for (std::uint32_t device = 0; device < 2; ++device) {
    CUpti_ActivityDevice5 gpu{};
    gpu.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    gpu.id = device;
    gpu.name = "Fake GPU";
    gpu.numMultiprocessors = 10;
    gpu.uuid.bytes[0] = static_cast<char>(device + 1);
    emit(gpu);
    CUpti_ActivityContext3 context{};
    context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    context.contextId = device + 1;
    context.deviceId = device;
    context.nullStreamId = 7;
    emit(context);
    CUpti_ActivityPcie slot{};
    slot.kind = CUPTI_ACTIVITY_KIND_PCIE;
    slot.type = CUPTI_PCIE_DEVICE_TYPE_GPU;
    slot.id.devId = static_cast<CUdevice>(device);
    slot.pcieGeneration = 3;
    slot.linkRate = 8000;
    slot.linkWidth = 16;
    slot.upstreamBus = 2;
    emit(slot);
  }
  CUpti_ActivityPcie bridge{};
  bridge.kind = CUPTI_ACTIVITY_KIND_PCIE;
  bridge.type = CUPTI_PCIE_DEVICE_TYPE_BRIDGE;
  bridge.attr.bridgeAttr.secondaryBus = 2;
  emit(bridge);
  CUpti_ActivityNvLink4 link{};
  link.kind = CUPTI_ACTIVITY_KIND_NVLINK;
  link.nvlinkVersion = 2;
  link.typeDev0 = link.typeDev1 = CUPTI_DEV_TYPE_GPU;
  link.idDev0.uuidDev.bytes[0] = 1;
  link.idDev1.uuidDev.bytes[0] = 2;
  link.physicalNvLinkCount = 1;
  link.bandwidth = 50'000'000;
  emit(link);
}

// Two samples of the machine's state, one with a value that the device does not tell.
void environment() {
  CUpti_ActivityEnvironment sample{};
  sample.kind = CUPTI_ACTIVITY_KIND_ENVIRONMENT;
  sample.deviceId = 1;
  sample.timestamp = now();
  sample.environmentKind = CUPTI_ACTIVITY_ENVIRONMENT_SPEED;
  sample.data.speed.smClock = 1410;
  sample.data.speed.memoryClock = 1215;
  sample.data.speed.pcieLinkGen = UINT32_MAX;
  sample.data.speed.pcieLinkWidth = 16;
  sample.data.speed.clocksThrottleReasons = CUPTI_CLOCKS_THROTTLE_REASON_SW_POWER_CAP;
  emit(sample);
  sample.environmentKind = CUPTI_ACTIVITY_ENVIRONMENT_TEMPERATURE;
  sample.data.temperature.gpuTemperature = 65;
  emit(sample);
}

void memory() {
  CUpti_ActivityMemory4 allocation{};
  allocation.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  allocation.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  allocation.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  allocation.correlationId = 77;
  allocation.address = 0x7000;
  allocation.bytes = 1 << 20;
  allocation.timestamp = now();
  allocation.name = "weights";
  allocation.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  allocation.memoryPoolConfig.address = 0x9000;
  allocation.memoryPoolConfig.pool.size = 1 << 22;
  emit(allocation);
  allocation.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  allocation.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID;
  allocation.name = nullptr;
  emit(allocation);
  CUpti_ActivityMemoryPool3 pool{};
  pool.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  pool.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
  pool.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  pool.address = 0x9000;
  pool.size = 1 << 22;
  pool.timestamp = now();
  emit(pool);
  auto unified = timed<CUpti_ActivityUnifiedMemoryCounter3>(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  unified.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
  unified.value = 65536;
  unified.address = 0xA000;
  unified.dstId = 1;
  unified.flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH;
  emit(unified);
  if (!g_page_faults) return;
  unified.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT;
  unified.value = 0xC0DE;
  emit(unified);
  unified.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT;
  unified.value = 3;
  unified.flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE;
  emit(unified);
}

void host() {
  auto jit = timed<CUpti_ActivityJit2>(CUPTI_ACTIVITY_KIND_JIT);
  jit.jitEntryType = CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN;
  jit.jitOperationType = CUPTI_ACTIVITY_JIT_OPERATION_COMPILE;
  jit.cachePath = "/cache/a";
  jit.cacheSize = 999;
  emit(jit);
  CUpti_ActivityExternalCorrelation id{};
  id.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  id.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  id.externalId = 4242;
  id.correlationId = 77;
  emit(id);
}

void work() {
  auto copy = timed<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.bytes = 4096;
  copy.contextId = 1;
  emit(copy);
  auto peer = timed<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  peer.bytes = 8192;
  peer.dstDeviceId = 1;
  emit(peer);
  auto fill = timed<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  fill.bytes = 100;
  fill.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  emit(fill);
  auto wait = timed<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  wait.contextId = 2;
  wait.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  emit(wait);
  CUpti_ActivityCudaEvent2 event{};
  event.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  event.eventId = 5;
  event.deviceId = 1;
  emit(event);
  auto graph = timed<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  graph.graphId = 3;
  emit(graph);
  auto overhead = timed<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  emit(overhead);
  CUpti_ActivityStream stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
  stream.contextId = 1;
  stream.streamId = 7;
  stream.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL;
  emit(stream);
}

}  // namespace

extern "C" {

void fake_cupti_set_clock_ahead_ns(std::int64_t ahead) { g_ahead = ahead; }

void fake_cupti_launch(const char* name, std::uint32_t device, std::uint64_t duration_ns) {
  const std::uint32_t correlation = ++g_correlation;
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = 211;
  call.start = now();
  call.end = call.start + 100;
  call.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
  call.correlationId = correlation;
  emit(call);
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.start = call.end;
  kernel.end = kernel.start + duration_ns;
  kernel.deviceId = device;
  kernel.contextId = device + 1;
  kernel.streamId = 7;
  kernel.gridX = 4, kernel.gridY = 2, kernel.gridZ = 1;
  kernel.blockX = 128, kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 32;
  kernel.correlationId = correlation;
  emit(kernel);
  if (FakeCuptiLog* to = log()) ++to->launched;
}

void fake_cupti_profiler(bool start) {
  if (!g_callback_enabled[start ? 0 : 1]) return;
  const auto id = start ? CUPTI_DRIVER_TRACE_CBID_cuProfilerStart : CUPTI_DRIVER_TRACE_CBID_cuProfilerStop;
  call_back(id, CUPTI_API_ENTER);
  call_back(id, CUPTI_API_EXIT);
}

void fake_cupti_one_of_each() { machine(), environment(), memory(), host(), work(); }

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  const std::lock_guard held(g_lock);
  g_request = request;
  g_complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (record_bytes(kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  if (kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER && !g_unified_memory) return CUPTI_ERROR_INVALID_OPERATION;
  g_enabled[kind] = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig* configurations, uint32_t count) {
  g_unified_memory = count > 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (configurations[i].kind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT) g_page_faults = configurations[i].enable != 0;
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return g_enabled[kind] = false, CUPTI_SUCCESS; }
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
  if (std::getenv("FAKE_CUPTI_TAKEN") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  g_callback = callback;
  g_callback_user = user;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&g_callback);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return CUPTI_SUCCESS;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart) g_callback_enabled[0] = enable != 0;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop) g_callback_enabled[1] = enable != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  const std::lock_guard held(g_lock);
  complete_locked();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  std::uint8_t* at = buffer;
  if (*record != nullptr) at = reinterpret_cast<std::uint8_t*>(*record) + record_bytes((*record)->kind);
  if (at + sizeof(CUpti_ActivityKind) > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* next = reinterpret_cast<CUpti_Activity*>(at);
  const std::size_t bytes = record_bytes(next->kind);
  if (bytes == 0 || at + bytes > buffer + valid) return CUPTI_ERROR_INVALID_KIND;
  *record = next;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = 0;  // asked from a completed callback too, where the lock is ours already
  if (!g_lock.try_lock()) return CUPTI_SUCCESS;
  *dropped = g_dropped;
  g_dropped = 0;
  g_lock.unlock();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* time) { return *time = now(), CUPTI_SUCCESS; }
CUptiResult cuptiGetVersion(uint32_t* version) { return *version = CUPTI_API_VERSION, CUPTI_SUCCESS; }
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, uint32_t id, const char** name) {
  *name = id == 211 ? "cudaLaunchKernel_v7000" : "other";
  return CUPTI_SUCCESS;
}
const char* cuptiProviderMetadata() { return "simulated=true\nmachine=Fake box\n"; }
}
