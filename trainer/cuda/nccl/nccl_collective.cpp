#include <fmt/format.h>
#include <nccl.h>

#include <map>
#include <set>

#include "trainer/cuda/collective.h"
#include "trainer/cuda/cuda_failure.h"

namespace trainer::cuda {

namespace {

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) throw CudaFailure(fmt::format("{}: {}; NCCL_DEBUG=INFO says more", call, ncclGetErrorString(result)));
}

class NcclCollective final : public Collective {
 public:
  ~NcclCollective() override {
    for (const auto& [devices, communicators] : communicators_)
      for (ncclComm_t communicator : communicators) static_cast<void>(ncclCommDestroy(communicator));
  }

  bool average(const std::vector<Buffer>& buffers, const std::vector<cudaStream_t>& streams) override {
    std::vector<int> devices;
    for (const Buffer& buffer : buffers) devices.push_back(buffer.device);
    if (std::set<int>(devices.begin(), devices.end()).size() != devices.size()) return false;  // NCCL wants a GPU for each rank
    const std::vector<ncclComm_t>& communicators = communicators_of(devices);
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      check_nccl(ncclAllReduce(buffers[i].data, buffers[i].data, buffers[i].size_bytes / sizeof(float), ncclFloat, ncclAvg,
                               communicators[i], streams[i]),
                 "ncclAllReduce");
    }
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    return true;
  }

 private:
  const std::vector<ncclComm_t>& communicators_of(const std::vector<int>& devices) {
    const auto [found, is_new] = communicators_.try_emplace(devices);
    if (is_new) {
      std::vector<ncclComm_t> made(devices.size());
      check_nccl(ncclCommInitAll(made.data(), static_cast<int>(devices.size()), devices.data()), "ncclCommInitAll");
      found->second = std::move(made);
    }
    return found->second;
  }

  std::map<std::vector<int>, std::vector<ncclComm_t>> communicators_;  // by devices
};

}  // namespace

std::unique_ptr<Collective> make_collective() { return std::make_unique<NcclCollective>(); }

}  // namespace trainer::cuda
