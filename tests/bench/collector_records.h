// CUPTI records for the collector's benchmarks: launches of a few hundred shapes, each with its API call, as a
// training run gives.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <cupti.h>

#include "collector/guest/cupti_library.h"

namespace gputrace::bench {

inline std::uint32_t bytes_of(std::uint32_t kind) {
  return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? sizeof(CUpti_ActivityKernel10) : sizeof(CUpti_ActivityAPI);
}

// Steps as CUPTI does; knows kernels and API calls.
inline guest::CuptiLibrary record_provider() {
  guest::CuptiLibrary cupti;
  cupti.next_record = [](std::uint8_t* buffer, std::size_t valid, void** record) -> std::uint32_t {
    std::uint8_t* at = buffer;
    if (*record != nullptr)
      at = static_cast<std::uint8_t*>(*record) + bytes_of(static_cast<CUpti_Activity*>(*record)->kind);
    if (at >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = at;
    return CUPTI_SUCCESS;
  };
  cupti.callback_name = [](std::uint32_t, std::uint32_t, const char** name) -> std::uint32_t {
    return *name = "cudaLaunchKernel_v7000", CUPTI_SUCCESS;
  };
  return cupti;
}

struct Buffers {
  std::vector<std::string> names;
  std::vector<std::vector<std::uint8_t>> buffers;  // as CUPTI completes them
  std::size_t records = 0, kernels = 0;
};

// `launches` kernels and as many API calls. Names are as long as Eigen's (285 characters).
inline Buffers make_buffers(std::size_t launches) {
  constexpr std::size_t kShapes = 300, kNames = 40, kBufferBytes = 512 << 10;
  Buffers made;
  for (std::size_t i = 0; i < kNames; ++i) {
    const std::string inner = "Evaluator" + std::to_string(100 + i) + std::string(250, 'x');
    made.names.push_back("_ZN5Eigen8internal15EigenMetaKernelI" + std::to_string(inner.size()) + inner + "iEEvT_T0_");
  }
  const auto append = [&](const auto& record) {
    if (made.buffers.empty() || made.buffers.back().size() + sizeof record > kBufferBytes)
      made.buffers.emplace_back().reserve(kBufferBytes);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
    made.buffers.back().insert(made.buffers.back().end(), bytes, bytes + sizeof record);
    ++made.records;
  };
  std::uint64_t time = 1'000'000;
  for (std::size_t i = 0; i < launches; ++i, time += 10'000) {
    const std::size_t shape = (i * 7) % kShapes;
    CUpti_ActivityAPI call{};
    call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    call.cbid = 211;
    call.start = time;
    call.end = time + 3000;
    call.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
    call.correlationId = static_cast<std::uint32_t>(i + 1);
    append(call);
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.name = made.names[shape % kNames].c_str();
    kernel.start = time + 5000;
    kernel.end = time + 14'000;
    kernel.deviceId = static_cast<std::uint32_t>(shape % 4);
    kernel.contextId = kernel.deviceId + 1;
    kernel.streamId = 7;
    kernel.gridX = static_cast<std::int32_t>(1 + shape), kernel.gridY = kernel.gridZ = 1;
    kernel.blockX = 256, kernel.blockY = kernel.blockZ = 1;
    kernel.registersPerThread = 32;
    kernel.correlationId = call.correlationId;
    kernel.gridId = static_cast<std::int64_t>(i);
    append(kernel);
    ++made.kernels;
  }
  return made;
}

}  // namespace gputrace::bench
