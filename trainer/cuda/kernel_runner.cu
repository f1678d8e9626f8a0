#include "trainer/cuda/kernel_runner.h"

#include <algorithm>
#include <unordered_map>

#include "trainer/cuda/kernels/all_kernels.h"

namespace trainer::cuda {

// Built in gpu_kernels/, so that no one file takes long to compile.
using Gpu = Eigen::GpuDevice;
extern template KernelList<Gpu> unary_kernels();
extern template KernelList<Gpu> binary_kernels();
extern template KernelList<Gpu> optimizer_kernels();
extern template KernelList<Gpu> repeated_rows_kernels();
extern template KernelList<Gpu> channels_kernels();
extern template KernelList<Gpu> tile_kernels();
extern template KernelList<Gpu> rearranging_kernels();
extern template KernelList<Gpu> reduction_kernels();
extern template KernelList<Gpu> single_pass_kernels();
extern template KernelList<Gpu> swap_dimensions_kernels();
extern template KernelList<Gpu> batch_norm_kernels();
extern template KernelList<Gpu> convolution_kernels();

namespace {

using ByName = std::unordered_multimap<std::string_view, Kernel<Gpu>>;

const ByName& kernels() {
  static const ByName all = [] {
    ByName by_name;
    for (const Kernel<Gpu>& kernel : all_kernels<Gpu>()) by_name.emplace(kernel.name, kernel);
    return by_name;
  }();
  return all;
}

}  // namespace

struct KernelRunner::EigenDevice {
  cudaStream_t stream;
  Eigen::GpuStreamDevice on_stream;
  Gpu device;

  EigenDevice(cudaStream_t its_stream, int number) : stream(its_stream), on_stream(&stream, number), device(&on_stream) {}
};

KernelRunner::KernelRunner(cudaStream_t stream, int device) : device_(std::make_unique<EigenDevice>(stream, device)) {}
KernelRunner::~KernelRunner() = default;

bool KernelRunner::run(std::string_view name, std::string_view variant, const KernelCall& call) const {
  const auto [first, last] = kernels().equal_range(name);
  const auto found = std::find_if(first, last, [&](const auto& entry) { return entry.second.variant == variant; });
  if (found == last) return false;
  found->second.run(device_->device, call);
  return true;
}

}  // namespace trainer::cuda
