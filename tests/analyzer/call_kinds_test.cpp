#include "analyzer/call_kinds.h"

#include <catch2/catch.hpp>

using namespace gputrace::analyzer;

TEST_CASE("calls by their names, of both APIs, with and without versions") {
  CHECK(call_kind("cudaLaunchKernel_v7000") == CallKind::launch);
  CHECK(call_kind("cudaLaunchKernelExC_v11060") == CallKind::launch);
  CHECK(call_kind("cuLaunchKernel") == CallKind::launch);
  CHECK(call_kind("cudaGraphLaunch_v10000") == CallKind::launch);
  CHECK(call_kind("hipLaunchKernel") == CallKind::launch);
  CHECK(call_kind("cudaStreamSynchronize_v3020") == CallKind::synchronize);
  CHECK(call_kind("cuCtxSynchronize") == CallKind::synchronize);
  CHECK(call_kind("cudaEventSynchronize") == CallKind::synchronize);
  CHECK(call_kind("cudaStreamWaitEvent_v3020") == CallKind::other);
  CHECK(call_kind("cudaMalloc_v3020") == CallKind::allocate);
  CHECK(call_kind("cuMemAlloc_v2") == CallKind::allocate);
  CHECK(call_kind("cudaFree") == CallKind::allocate);
  CHECK(call_kind("cudaMallocAsync_v11020") == CallKind::other);
  CHECK(call_kind("cudaMallocFromPoolAsync_v11020") == CallKind::other);
  CHECK(call_kind("cudaMemcpyAsync_v3020") == CallKind::copy);
  CHECK(call_kind("cuMemcpyHtoDAsync_v2") == CallKind::copy);
  CHECK(call_kind("cudaMemsetAsync_v3020") == CallKind::copy);
  CHECK(call_kind("cuModuleLoadDataEx") == CallKind::load);
  CHECK(call_kind("") == CallKind::other);
  CHECK(call_kind("cuda") == CallKind::other);
}
