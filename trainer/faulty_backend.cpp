#include "trainer/faulty_backend.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "trainer/kernel_names.h"

namespace trainer {

namespace {

constexpr std::size_t kScratchBytes = 1 << 20;
constexpr std::uint32_t kFewThreads = 128;

bool is_reduction(std::string_view kernel) {
  namespace names = kernel_names;
  const std::string_view reductions[] = {names::kL2Loss,   names::kFullMean, names::kInnerSum,
                                         names::kInnerMean, names::kOuterSum, names::kOuterMean};
  return std::find(std::begin(reductions), std::end(reductions), kernel) != std::end(reductions);
}

// Each thread adds up its share of what the kernel reads, a load after the other.
KernelLaunch with_few_threads(KernelLaunch kernel) {
  kernel.grid = {1};
  kernel.block = {kFewThreads};
  kernel.work.serial_loads = std::ceil(kernel.work.bytes / sizeof(float) / kFewThreads);
  return kernel;
}

Buffer from_offset(Buffer buffer, std::size_t offset_bytes) {
  buffer.address += offset_bytes;
  if (buffer.data) buffer.data = static_cast<std::byte*>(buffer.data) + offset_bytes;
  return buffer;
}

}  // namespace

FaultyBackend::FaultyBackend(Backend& backend, const Faults& faults)
    : backend_(backend), faults_(faults), launches_(static_cast<std::size_t>(backend.device_count())) {}

void FaultyBackend::copy_async(const Buffer& to, const Buffer& from, std::size_t bytes, Stream stream) {
  const bool between_host_and_gpu = (to.memory == Memory::device) != (from.memory == Memory::device);
  if (faults_.copy_block_bytes == 0 || !between_host_and_gpu) return backend_.copy_async(to, from, bytes, stream);
  for (std::size_t done = 0; done < bytes; done += faults_.copy_block_bytes) {
    backend_.copy_async(from_offset(to, done), from_offset(from, done), std::min(faults_.copy_block_bytes, bytes - done),
                        stream);
  }
}

void FaultyBackend::launch(Stream stream, const KernelLaunch& kernel) {
  backend_.launch(stream, faults_.few_thread_reduction && is_reduction(kernel.mangled_name) ? with_few_threads(kernel) : kernel);
  if (faults_.synchronize_every_kernel) backend_.synchronize(stream);
  if (faults_.allocate_every_launches == 0) return;
  std::atomic<int>& launches = launches_[static_cast<std::size_t>(stream.device)];
  if (++launches % faults_.allocate_every_launches != 0) return;
  backend_.release(backend_.allocate(Memory::device, stream.device, kScratchBytes, false));
}

}  // namespace trainer
