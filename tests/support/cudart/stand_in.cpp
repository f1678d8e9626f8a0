#include "tests/support/cudart/stand_in.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

struct CUstream_st { int number, device; };
struct CUevent_st { int number; };

namespace cudart_stand_in {
namespace {

struct Allocation { std::size_t size_bytes; std::string memory; };  // "device 0", "pinned"
struct Failure { int calls_left, error; };

struct State {
  std::mutex mutex;
  int devices = 1;
  std::map<const void*, std::string> kernels;  // by what the program launches
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::vector<std::unique_ptr<CUevent_st>> events;
  std::map<std::uintptr_t, Allocation> allocations;
  std::vector<Call> calls;
  std::vector<std::string> violations;
  std::map<std::string, Failure> failures;
};

State& state() {
  static State* const kept = new State;  // used by programs' own destructors
  return *kept;
}

struct Configuration { dim3 grid, block; std::size_t shared_bytes; cudaStream_t stream; };
thread_local std::vector<Configuration> pushed;
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

// The rest works under the lock.
cudaError_t answer(const char* function) {
  const auto planned = state().failures.find(function);
  if (planned == state().failures.end() || --planned->second.calls_left > 0) return cudaSuccess;
  const auto error = static_cast<cudaError_t>(planned->second.error);
  state().failures.erase(planned);
  return error;
}

void add(cudaStream_t stream, std::string text) {
  state().calls.push_back({stream ? stream->number : 0, stream ? stream->device : current_device, std::move(text)});
}

void add_without_stream(std::string text) { state().calls.push_back({-1, current_device, std::move(text)}); }

void require(bool right, const std::string& violation) {
  if (!right) state().violations.push_back(violation);
}

std::string memory_at(const void* data, std::size_t size_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  auto after = state().allocations.upper_bound(address);
  if (after == state().allocations.begin()) return "pageable";
  const auto& [first, allocation] = *std::prev(after);
  if (address >= first + allocation.size_bytes) return "pageable";
  require(address + size_bytes <= first + allocation.size_bytes, "copy beyond an allocation");
  return allocation.memory;
}

void require_kind(cudaMemcpyKind kind, const std::string& to, const std::string& from) {
  const bool to_device = to.starts_with("device"), from_device = from.starts_with("device");
  const auto right = to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                               : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  require(kind == right, "copy of another kind than its pointers: " + from + " to " + to);
}

cudaError_t add_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const std::string target = memory_at(to, bytes), source = memory_at(from, bytes);
  require_kind(kind, target, source);
  add(stream, "copy " + source + " " + target + " " + std::to_string(bytes));
  return answer("cudaMemcpyAsync");
}

cudaError_t allocate(const char* function, void** data, std::size_t size_bytes, const std::string& memory, int protection) {
  if (const cudaError_t error = answer(function); error != cudaSuccess) return last_error = error;
  *data = mmap(nullptr, size_bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (*data == MAP_FAILED) return last_error = cudaErrorMemoryAllocation;
  state().allocations[reinterpret_cast<std::uintptr_t>(*data)] = {size_bytes, memory};
  add_without_stream("allocate " + std::to_string(size_bytes));
  return cudaSuccess;
}

cudaError_t release(void* data) {
  if (!data) return cudaSuccess;
  const auto found = state().allocations.find(reinterpret_cast<std::uintptr_t>(data));
  require(found != state().allocations.end(), "memory freed that is no allocation");
  if (found == state().allocations.end()) return cudaErrorInvalidValue;
  munmap(data, found->second.size_bytes);
  state().allocations.erase(found);
  add_without_stream("release");
  return cudaSuccess;
}

void require_launchable(const dim3& grid, const dim3& block, cudaStream_t stream, const std::string& name) {
  require(grid.x >= 1 && grid.x <= 0x7fffffffU && grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 && grid.z <= 65535,
          "grid beyond the limits: " + name);
  const unsigned threads = block.x * block.y * block.z;
  require(threads >= 1 && threads <= 1024 && block.z <= 64, "block beyond the limits: " + name);
  require(!stream || stream->device == current_device, "launch on another device's stream: " + name);
}

}  // namespace

void reset(int devices) {
  const std::lock_guard lock(state().mutex);
  state().devices = devices;
  state().streams.clear();
  state().events.clear();
  state().calls.clear();
  state().violations.clear();
  state().failures.clear();
}

std::vector<Call> take_calls() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().calls, {});
}

std::vector<std::string> take_violations() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().violations, {});
}

void fail(const std::string& function, int number, int error) {
  const std::lock_guard lock(state().mutex);
  state().failures[function] = {number, error};
}

void note(void* stream, const std::string& text) {
  const std::lock_guard lock(state().mutex);
  add(static_cast<cudaStream_t>(stream), text);
}

}  // namespace cudart_stand_in

using namespace cudart_stand_in;
#define LOCKED const std::lock_guard lock(state().mutex)

extern "C" {

// What nvcc's code calls by itself (crt/host_runtime.h).
void** __cudaRegisterFatBinary(void*) { static void* handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* device_name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  LOCKED;
  state().kernels[host] = device_name;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, CUstream_st* stream) {
  pushed.push_back({grid, block, shared_bytes, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  const Configuration top = pushed.back();
  pushed.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  std::memcpy(stream, &top.stream, sizeof top.stream);
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void**, std::size_t, cudaStream_t stream) {
  LOCKED;
  const auto found = state().kernels.find(reinterpret_cast<const void*>(kernel));
  const std::string name = found == state().kernels.end() ? "unregistered" : found->second;
  require_launchable(grid, block, stream, name);
  add(stream, "launch " + name);
  return last_error = answer("cudaLaunchKernel");
}

cudaError_t cudaGetDeviceCount(int* count) {
  LOCKED;
  *count = state().devices;
  return state().devices > 0 ? answer("cudaGetDeviceCount") : cudaErrorNoDevice;
}
cudaError_t cudaGetDevice(int* device) { *device = current_device; return cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  LOCKED;
  if (device < 0 || device >= state().devices) return last_error = cudaErrorInvalidDevice;
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "Stand-in");
  properties->multiProcessorCount = 24;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->sharedMemPerBlock = 48 << 10;
  properties->major = 9;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { *version = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { *can = 1; return cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  LOCKED;
  add_without_stream("reach " + std::to_string(peer));
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { LOCKED; add_without_stream("synchronize device"); return answer("cudaDeviceSynchronize"); }
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorName(cudaError_t error) { return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOther"; }
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorNoDevice ? "no CUDA-capable device is detected" : "an error that was planned";
}

cudaError_t cudaMalloc(void** data, std::size_t size_bytes) {
  LOCKED;
  return allocate("cudaMalloc", data, size_bytes, "device " + std::to_string(current_device), PROT_NONE);
}
cudaError_t cudaHostAlloc(void** data, std::size_t size_bytes, unsigned) {
  LOCKED;
  return allocate("cudaHostAlloc", data, size_bytes, "pinned", PROT_READ | PROT_WRITE);
}
// The host may touch this.
cudaError_t cudaMallocManaged(void** data, std::size_t size_bytes, unsigned) {
  LOCKED;
  return allocate("cudaMallocManaged", data, size_bytes, "managed", PROT_READ | PROT_WRITE);
}
cudaError_t cudaFree(void* data) { LOCKED; return release(data); }
cudaError_t cudaFreeHost(void* data) { LOCKED; return release(data); }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  LOCKED;
  return add_copy(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  LOCKED;
  return add_copy(to, from, bytes, kind, stream);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes, cudaStream_t stream) {
  LOCKED;
  const std::string target = memory_at(to, bytes), source = memory_at(from, bytes);
  require(target == "device " + std::to_string(to_device) && source == "device " + std::to_string(from_device), "peer copy of other devices");
  add(stream, "copy " + source + " " + target + " " + std::to_string(bytes));
  return answer("cudaMemcpyPeerAsync");
}
cudaError_t cudaMemsetAsync(void* data, int, std::size_t bytes, cudaStream_t stream) {
  LOCKED;
  require(memory_at(data, bytes).starts_with("device"), "fill of host memory");
  add(stream, "fill " + std::to_string(bytes));
  return answer("cudaMemsetAsync");
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  LOCKED;
  require(flags == cudaStreamNonBlocking, "a stream that waits for the default stream");
  *stream = state().streams.emplace_back(new CUstream_st{static_cast<int>(state().streams.size()) + 1, current_device}).get();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { LOCKED; add(stream, "synchronize stream"); return answer("cudaStreamSynchronize"); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  LOCKED;
  add(stream, "wait " + std::to_string(event->number));
  return answer("cudaStreamWaitEvent");
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  LOCKED;
  *event = state().events.emplace_back(new CUevent_st{static_cast<int>(state().events.size()) + 1}).get();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  LOCKED;
  add(stream, "record " + std::to_string(event->number));
  return answer("cudaEventRecord");
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  LOCKED;
  add_without_stream("synchronize event " + std::to_string(event->number));
  return answer("cudaEventSynchronize");
}

}  // extern "C"
