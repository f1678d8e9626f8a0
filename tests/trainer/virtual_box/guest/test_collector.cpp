// A profiler as small as one can be: injected as the driver does it, it finds libcupti by name, enables the kinds and at exit
// writes one line per record to the file that TEST_COLLECTOR_OUT names. Process and thread ids are left out.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <cupti.h>
#include <dlfcn.h>

namespace {

void* g_cupti = nullptr;
std::FILE* g_out = nullptr;
std::size_t g_buffer_bytes = 4096, g_buffers_left = 0;  // small, so that many are filled

template <class Function>
Function* symbol(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(g_cupti, name));
}
#define CUPTI(function) symbol(#function, &function)

const char* kind_name(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME: return "RUNTIME";
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return "KERNEL";
    case CUPTI_ACTIVITY_KIND_MEMCPY: return "MEMCPY";
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return "MEMCPY2";
    case CUPTI_ACTIVITY_KIND_MEMSET: return "MEMSET";
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return "SYNCHRONIZATION";
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: return "CUDA_EVENT";
    case CUPTI_ACTIVITY_KIND_DEVICE: return "DEVICE";
    case CUPTI_ACTIVITY_KIND_CONTEXT: return "CONTEXT";
    case CUPTI_ACTIVITY_KIND_STREAM: return "STREAM";
    case CUPTI_ACTIVITY_KIND_PCIE: return "PCIE";
    case CUPTI_ACTIVITY_KIND_NVLINK: return "NVLINK";
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return "OVERHEAD";
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: return "EXTERNAL_CORRELATION";
    default: return "?";
  }
}

unsigned long long wide(std::uint64_t value) { return value; }

template <class Record>
void write_work(const Record& r) {
  std::fprintf(g_out, " start=%llu end=%llu device=%u context=%u stream=%u correlation=%u", wide(r.start), wide(r.end), r.deviceId,
               r.contextId, r.streamId, r.correlationId);
}

template <class Record>
const Record& as(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

void write_api(const CUpti_ActivityAPI& r) {
  const char* name = "?";
  CUPTI(cuptiGetCallbackName)(CUPTI_CB_DOMAIN_RUNTIME_API, r.cbid, &name);
  std::fprintf(g_out, " %s start=%llu end=%llu correlation=%u", name, wide(r.start), wide(r.end), r.correlationId);
}

void write_kernel(const CUpti_ActivityKernel10& r) {
  write_work(r);
  std::fprintf(g_out, " name=%s grid=%d,%d,%d block=%d,%d,%d shared=%d+%d registers=%u id=%lld", r.name, r.gridX, r.gridY, r.gridZ,
               r.blockX, r.blockY, r.blockZ, r.staticSharedMemory, r.dynamicSharedMemory, unsigned{r.registersPerThread},
               static_cast<long long>(r.gridId));
}

void write_device(const CUpti_ActivityDevice5& r) {
  std::fprintf(g_out, " id=%u name=%s sms=%u clock=%u bandwidth=%llu memory=%llu cc=%u.%u", r.id, r.name, r.numMultiprocessors,
               r.coreClockRate, wide(r.globalMemoryBandwidth), wide(r.globalMemorySize), r.computeCapabilityMajor, r.computeCapabilityMinor);
}

void write_pcie(const CUpti_ActivityPcie& r) {
  const bool gpu = r.type == CUPTI_PCIE_DEVICE_TYPE_GPU;
  std::fprintf(g_out, " %s=%u generation=%u width=%u rate=%u upstream=%u %s=%d", gpu ? "gpu" : "bridge", r.id.bridgeId,
               unsigned{r.pcieGeneration}, unsigned{r.linkWidth}, unsigned{r.linkRate}, unsigned{r.upstreamBus}, gpu ? "peer" : "secondary",
               gpu ? static_cast<int>(r.attr.gpuAttr.peerDev[0]) : static_cast<int>(r.attr.bridgeAttr.secondaryBus));
}

void write_synchronization(const CUpti_ActivitySynchronization2& r) {
  std::fprintf(g_out, " type=%d start=%llu end=%llu context=%u stream=%u event=%u record=%llu correlation=%u", static_cast<int>(r.type),
               wide(r.start), wide(r.end), r.contextId, r.streamId, r.cudaEventId, wide(r.cudaEventSyncId), r.correlationId);
}

void write_peer_copy(const CUpti_ActivityMemcpyPtoP4& r) {
  write_work(r);
  std::fprintf(g_out, " bytes=%llu from=%u to=%u", wide(r.bytes), r.srcDeviceId, r.dstDeviceId);
}

void write_copy(const CUpti_ActivityMemcpy6& r) {
  write_work(r);
  std::fprintf(g_out, " bytes=%llu kind=%u memory=%u>%u", wide(r.bytes), unsigned{r.copyKind}, unsigned{r.srcKind}, unsigned{r.dstKind});
}

void write_record(const CUpti_Activity* record) {
  std::fputs(kind_name(record->kind), g_out);
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME: write_api(as<CUpti_ActivityAPI>(record)); break;
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: write_kernel(as<CUpti_ActivityKernel10>(record)); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: write_copy(as<CUpti_ActivityMemcpy6>(record)); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2: write_peer_copy(as<CUpti_ActivityMemcpyPtoP4>(record)); break;
    case CUPTI_ACTIVITY_KIND_MEMSET: write_work(as<CUpti_ActivityMemset4>(record)); break;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: write_synchronization(as<CUpti_ActivitySynchronization2>(record)); break;
    case CUPTI_ACTIVITY_KIND_DEVICE: write_device(as<CUpti_ActivityDevice5>(record)); break;
    case CUPTI_ACTIVITY_KIND_PCIE: write_pcie(as<CUpti_ActivityPcie>(record)); break;
    case CUPTI_ACTIVITY_KIND_CONTEXT: std::fprintf(g_out, " id=%u device=%u null=%u", as<CUpti_ActivityContext3>(record).contextId,
                                                   as<CUpti_ActivityContext3>(record).deviceId,
                                                   unsigned{as<CUpti_ActivityContext3>(record).nullStreamId}); break;
    default: break;
  }
  std::fputc('\n', g_out);
}

void CUPTIAPI on_request(uint8_t** buffer, size_t* size, size_t* max_records) {
  *max_records = 0;
  *buffer = nullptr;
  *size = 0;
  if (g_buffers_left == 0) return;
  --g_buffers_left;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, g_buffer_bytes));
  *size = g_buffer_bytes;
}

void CUPTIAPI on_complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  CUptiResult result;
  while ((result = CUPTI(cuptiActivityGetNextRecord)(buffer, valid, &record)) == CUPTI_SUCCESS) write_record(record);
  if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) std::fprintf(g_out, "walk ended with %d\n", static_cast<int>(result));
  std::free(buffer);
}

void at_exit() {
  CUPTI(cuptiActivityFlushAll)(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  size_t dropped = 0;
  CUPTI(cuptiActivityGetNumDroppedRecords)(nullptr, 0, &dropped);
  uint64_t now = 0;
  CUPTI(cuptiGetTimestamp)(&now);
  std::fprintf(g_out, "dropped=%zu end=%llu\n", dropped, wide(now));
  std::fclose(g_out);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  const char* path = std::getenv("TEST_COLLECTOR_OUT");
  g_cupti = dlopen("libcupti.so.13", RTLD_NOW);
  if (!path || !g_cupti || !(g_out = std::fopen(path, "w"))) return 0;
  const char* limit = std::getenv("TEST_COLLECTOR_BUFFERS");
  g_buffers_left = limit ? std::strtoul(limit, nullptr, 10) : std::size_t{1} << 40;
  if (const auto metadata = reinterpret_cast<const char* (*)()>(dlsym(g_cupti, "cuptiProviderMetadata"))) std::fputs(metadata(), g_out);
  CUPTI(cuptiActivityRegisterCallbacks)(on_request, on_complete);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_PCIE, CUPTI_ACTIVITY_KIND_NVLINK, CUPTI_ACTIVITY_KIND_CONTEXT,
        CUPTI_ACTIVITY_KIND_STREAM, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_CUDA_EVENT,
        CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION})
    if (CUPTI(cuptiActivityEnable)(kind) != CUPTI_SUCCESS) std::fprintf(g_out, "%s cannot be enabled\n", kind_name(kind));
  std::atexit(at_exit);
  return 1;
}
