#include "trainer/cuda/devices.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "trainer/cuda/cuda_failure.h"

namespace trainer::cuda {

namespace {

thread_local int current_device = -1;  // not known

// A device that cannot reach the other, or has all the peers it can, copies through the host: no failure.
void let_reach(int from, int to) {
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess && can) {
    Devices::make_current(from);
    static_cast<void>(cudaDeviceEnablePeerAccess(to, 0));
  }
  static_cast<void>(cudaGetLastError());  // or the next launch would be blamed
}

}  // namespace

Devices::Devices(bool peer_access) : peer_access_(peer_access) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  check(cudaRuntimeGetVersion(&runtime_version_), "cudaRuntimeGetVersion");
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    names_.emplace_back(properties.name);
  }
  if (names_.empty()) throw CudaFailure("no CUDA device answers; use --backend virtual");
}

std::string Devices::description() const {
  const std::set<std::string> different(names_.begin(), names_.end());
  return fmt::format("CUDA {}.{}, {} GPU{} ({})", runtime_version_ / 1000, runtime_version_ % 1000 / 10, count(),
                     count() == 1 ? "" : "s", fmt::join(different, ", "));
}

void Devices::make_current(int device) {
  if (current_device != device) set(device);
}

void Devices::set(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  current_device = device;
}

void Devices::leave(int device) noexcept {
  static_cast<void>(cudaSetDevice(device));
  current_device = -1;
}

void Devices::connect(int from, int to) {
  const std::pair<int, int> pair = std::minmax(from, to);
  if (!peer_access_ || std::find(connected_.begin(), connected_.end(), pair) != connected_.end()) return;
  connected_.push_back(pair);
  let_reach(from, to);
  let_reach(to, from);
}

}  // namespace trainer::cuda
