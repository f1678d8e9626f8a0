#include "trainer/cuda/cuda_backend.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>

#include "trainer/cuda/allocations.h"
#include "trainer/cuda/collective.h"
#include "trainer/cuda/cuda_failure.h"
#include "trainer/cuda/devices.h"
#include "trainer/cuda/gemm.h"
#include "trainer/cuda/host_threads.h"
#include "trainer/cuda/stream_state.h"
#include "trainer/kernel_names.h"
#include "trainer/op.h"

namespace trainer::cuda {

namespace {

constexpr std::int64_t kIndexLimit = std::numeric_limits<std::int32_t>::max();  // Eigen's and cuBLAS's launch code counts with int

class CudaBackend final : public Backend {
 public:
  CudaBackend(bool peer_access, std::unique_ptr<Gemm> gemm) : devices_(peer_access), gemm_(std::move(gemm)) {}
  ~CudaBackend() override;

  std::string description() const override { return devices_.description(); }
  int device_count() const override { return devices_.count(); }
  bool computes_itself() const override { return true; }

  void run_threads(const std::vector<std::pair<std::string, std::function<void()>>>& named_threads) override {
    threads_.run(named_threads);
  }
  std::int64_t now_ns() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  void set_device(int device) override { Devices::set(device); }
  Stream create_stream(int device) override;
  Event create_event(int device) override;
  Counter create_counter() override { return threads_.create_counter(); }
  Buffer allocate(Memory memory, int device, std::size_t size_bytes, bool with_storage) override;
  void release(const Buffer& buffer) override;

  void upload(const Buffer& to, const void* from, std::size_t bytes) override;
  void copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) override;
  void fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) override;
  void launch(Stream stream, const KernelLaunch& kernel) override;
  bool average_over_gpus(const std::vector<Buffer>& buffers, const std::vector<Stream>& streams) override;
  void record(Event event, Stream stream) override;
  void wait(Stream stream, Event event) override;
  void synchronize(Stream stream) override { check(cudaStreamSynchronize(state(stream).stream()), "cudaStreamSynchronize"); }
  void synchronize(Event event) override { check(cudaEventSynchronize(events_[index(event)]), "cudaEventSynchronize"); }
  void synchronize_device(int device) override;

  void advance(Counter counter) override { threads_.advance(counter); }
  void wait_until_reached(Counter counter, std::int64_t value) override { threads_.wait_until_reached(counter, value); }

  void host_work(const HostWork& work) override {
    if (work.arithmetic) work.arithmetic();
  }
  void pause(std::int64_t duration_ns) override { std::this_thread::sleep_for(std::chrono::nanoseconds(duration_ns)); }
  void framework_dispatch() override {}  // what a framework spends there, this program does not

 private:
  static std::size_t index(Event event) { return static_cast<std::size_t>(event.id); }
  StreamState& state(Stream stream);
  StreamState& current(Stream stream);
  void copy_to_peer(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream);

  Devices devices_;
  HostThreads threads_;
  std::mutex mutex_;  // of the pairs in devices_ and the default streams
  std::deque<StreamState> streams_;            // id 1 is the first
  std::map<int, StreamState> default_streams_;  // id 0, by device
  std::vector<cudaEvent_t> events_;
  Allocations allocations_;
  std::unique_ptr<Gemm> gemm_;  // these two use the streams, so they go first
  std::unique_ptr<Collective> collective_ = make_collective();
};

CudaBackend::~CudaBackend() {
  for (cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
}

StreamState& CudaBackend::state(Stream stream) {
  if (stream.id > 0) return streams_[static_cast<std::size_t>(stream.id) - 1];
  const std::lock_guard lock(mutex_);
  Devices::make_current(stream.device);
  return default_streams_.try_emplace(stream.device, stream.device, true).first->second;
}

// The stream, with its device the calling thread's.
StreamState& CudaBackend::current(Stream stream) {
  StreamState& its = state(stream);
  Devices::make_current(its.device());
  return its;
}

Stream CudaBackend::create_stream(int device) {
  Devices::make_current(device);
  streams_.emplace_back(device, false);
  return {device, static_cast<int>(streams_.size())};
}

Event CudaBackend::create_event(int device) {
  Devices::make_current(device);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  events_.push_back(event);
  return {static_cast<int>(events_.size()) - 1};
}

Buffer CudaBackend::allocate(Memory memory, int device, std::size_t size_bytes, bool) {
  Devices::make_current(device);
  return allocations_.allocate(memory, device, size_bytes);
}

void CudaBackend::release(const Buffer& buffer) {
  Devices::make_current(buffer.device);
  allocations_.release(buffer);
}

void CudaBackend::upload(const Buffer& to, const void* from, std::size_t bytes) {
  Devices::make_current(to.device);
  check(cudaMemcpy(to.data, from, bytes, kind_of_copy(to.memory, Memory::pageable)), "cudaMemcpy");
}

void CudaBackend::copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) {
  const cudaMemcpyKind kind = kind_of_copy(to.memory, from.memory);
  if (kind == cudaMemcpyDeviceToDevice && to.device != from.device) return copy_to_peer(to, from, bytes, stream);
  check(cudaMemcpyAsync(to.data, from.data, bytes, kind, current(stream).stream()), "cudaMemcpyAsync");
}

void CudaBackend::copy_to_peer(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) {
  {
    const std::lock_guard lock(mutex_);
    devices_.connect(from.device, to.device);
  }
  const StreamState& on = current(stream);
  check(cudaMemcpyPeerAsync(to.data, to.device, from.data, from.device, bytes, on.stream()), "cudaMemcpyPeerAsync");
}

void CudaBackend::fill_async(const Buffer& buffer, int value, std::size_t bytes, Stream stream) {
  check(cudaMemsetAsync(buffer.data, value, bytes, current(stream).stream()), "cudaMemsetAsync");
}

bool CudaBackend::average_over_gpus(const std::vector<Buffer>& buffers, const std::vector<Stream>& streams) {
  if (!collective_) return false;
  std::vector<cudaStream_t> on;
  for (const Stream stream : streams) on.push_back(state(stream).stream());
  return collective_->average(buffers, on);
}

void CudaBackend::record(Event event, Stream stream) {
  check(cudaEventRecord(events_[index(event)], current(stream).stream()), "cudaEventRecord");
}

void CudaBackend::wait(Stream stream, Event event) {
  check(cudaStreamWaitEvent(current(stream).stream(), events_[index(event)], 0), "cudaStreamWaitEvent");
}

void CudaBackend::synchronize_device(int device) {
  Devices::make_current(device);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void require_range(const KernelOperands& operands) {
  const auto require = [](std::int64_t count) {
    if (count < 0 || count > kIndexLimit)
      throw CudaFailure(fmt::format("a tensor of {} values: GPU kernels here count to {}; choose a smaller --batch", count, kIndexLimit));
  };
  for (const Operand& operand : operands.tensors) require(operand.elements());
  for (const std::int64_t extent : operands.extents) require(extent);
}

// The product that a kernel of cuBLAS's name stands for: a, b, y; {rows, columns, inner, a's stride, b's stride}.
std::optional<GemmCall> product_of(std::string_view name, const KernelCall& call) {
  const bool a = name == kernel_names::kSgemmTN, b = name == kernel_names::kSgemmNT;
  if (!a && !b && name != kernel_names::kSgemmNN) return std::nullopt;
  const auto& e = call.extents;
  return GemmCall{a, b, e[0], e[1], e[2], e[3], e[4], call.tensors[0], call.tensors[1], call.tensors[2]};
}

void CudaBackend::launch(Stream stream, const KernelLaunch& kernel) {
  if (!kernel.operands) throw std::logic_error(fmt::format("no operands for the kernel {}", kernel.mangled_name));
  const KernelOperands& operands = *kernel.operands;
  require_range(operands);
  StreamState& on = current(stream);
  on.launch(operands, [&](std::span<float* const> tensors, const KernelRunner& kernels) {
    const KernelCall call{tensors, operands.extents, operands.scalars};
    if (const auto product = product_of(kernel.mangled_name, call)) return gemm_->run(on.stream(), *product);
    if (!kernels.run(kernel.mangled_name, operands.variant, call))
      throw std::logic_error(fmt::format("no GPU kernel is known for {} {}", kernel.mangled_name, operands.variant));
  });
  check(cudaGetLastError(), "kernel launch");
}

}  // namespace

CudaPresence find_devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  // What CUDA says of a machine without a driver reads as if there were one.
  if (error == cudaErrorInsufficientDriver) return {0, "there is no NVIDIA driver, or one that is too old for this build's CUDA"};
  if (error != cudaSuccess) return {0, fmt::format("cudaGetDeviceCount says: {}", cudaGetErrorString(error))};
  return {count, count == 1 ? "1 CUDA device answers" : fmt::format("{} CUDA devices answer", count)};
}

tl::expected<std::unique_ptr<Backend>, std::string> make_cuda_backend(bool peer_access) {
  return make_cuda_backend(peer_access, make_cublas_gemm());
}

tl::expected<std::unique_ptr<Backend>, std::string> make_cuda_backend(bool peer_access, std::unique_ptr<Gemm> gemm) {
  try {
    return std::make_unique<CudaBackend>(peer_access, std::move(gemm));
  } catch (const CudaFailure& failure) {
    return tl::unexpected<std::string>(failure.what());
  }
}

}  // namespace trainer::cuda
