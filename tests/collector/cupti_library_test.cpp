// Sizes of CUPTI's records as measured, against NVIDIA's own library and header.
#include <dlfcn.h>

#include <map>

#include <catch2/catch.hpp>
#include <cupti.h>

#include "collector/guest/activity_encoder.h"
#include "collector/guest/cupti_library.h"
#include "tests/collector/recorded_child.h"

using namespace gputrace;

namespace {

const std::map<std::uint32_t, std::uint32_t> kHeaderBytes = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel10)},
    {CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6)},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(CUpti_ActivityMemcpyPtoP4)},
    {CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4)},
    {CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI)},
    {CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI)},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization2)},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, sizeof(CUpti_ActivityCudaEvent2)},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, sizeof(CUpti_ActivityGraphTrace2)},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(CUpti_ActivityOverhead3)},
    {CUPTI_ACTIVITY_KIND_NAME, sizeof(CUpti_ActivityName)},
    {CUPTI_ACTIVITY_KIND_DEVICE, sizeof(CUpti_ActivityDevice5)},
    {CUPTI_ACTIVITY_KIND_CONTEXT, sizeof(CUpti_ActivityContext3)},
    {CUPTI_ACTIVITY_KIND_STREAM, sizeof(CUpti_ActivityStream)},
    {CUPTI_ACTIVITY_KIND_PCIE, sizeof(CUpti_ActivityPcie)},
    {CUPTI_ACTIVITY_KIND_NVLINK, sizeof(CUpti_ActivityNvLink4)},
    {CUPTI_ACTIVITY_KIND_ENVIRONMENT, sizeof(CUpti_ActivityEnvironment)},
    {CUPTI_ACTIVITY_KIND_MEMORY2, sizeof(CUpti_ActivityMemory4)},
    {CUPTI_ACTIVITY_KIND_MEMORY_POOL, sizeof(CUpti_ActivityMemoryPool3)},
    {CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, sizeof(CUpti_ActivityUnifiedMemoryCounter3)},
    {CUPTI_ACTIVITY_KIND_JIT, sizeof(CUpti_ActivityJit2)},
    {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, sizeof(CUpti_ActivityExternalCorrelation)}};

}  // namespace

TEST_CASE("Every kind that is enabled has a size to check") {
  CHECK(guest::ActivityEncoder::kinds().size() == kHeaderBytes.size());
  for (const std::uint32_t kind : guest::ActivityEncoder::kinds()) CHECK(kHeaderBytes.contains(kind));
}

TEST_CASE("Measured record sizes agree with NVIDIA's library") {
#ifndef GPUTRACE_NVIDIA_CUPTI
  WARN("NVIDIA's libcupti is not installed: skipped");
#else
  const guest::CuptiLibrary cupti = guest::open_cupti(GPUTRACE_NVIDIA_CUPTI);
  REQUIRE(cupti.usable());
  std::uint32_t version = 0;
  REQUIRE(cupti.version(&version) == CUPTI_SUCCESS);
  const auto bytes = guest::measure_records(cupti);
  for (const auto& [kind, expected] : kHeaderBytes) {
    INFO("kind " << kind);
    // Another version's record may be longer or shorter, but each kind must be known.
    if (version == CUPTI_API_VERSION) CHECK(bytes.at(kind) == expected);
    else CHECK(bytes.at(kind) >= 24);
  }
  CHECK(bytes.at(0) == 0);
#endif
}

TEST_CASE("Measuring finds the sizes of another library too, and 0 for what it does not know") {
  guest::CuptiLibrary odd;
  odd.next_record = [](std::uint8_t* buffer, std::size_t valid, void** record) -> std::uint32_t {
    auto* at = static_cast<std::uint8_t*>(*record);
    std::uint32_t kind = 0;
    std::memcpy(&kind, at != nullptr ? at : buffer, sizeof kind);
    if (kind == 11) return CUPTI_ERROR_INVALID_KIND;
    const std::size_t bytes = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? 208 : 40;
    at = at == nullptr ? buffer : at + bytes;
    if (at + bytes > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = at;
    return CUPTI_SUCCESS;
  };
  const auto bytes = guest::measure_records(odd);
  CHECK(bytes.at(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 208);
  CHECK(bytes.at(CUPTI_ACTIVITY_KIND_RUNTIME) == 40);
  CHECK(bytes.at(11) == 0);
}

TEST_CASE("No library is found under a path that is not there") {
  CHECK_FALSE(guest::CuptiLibrary{}.usable());
}
