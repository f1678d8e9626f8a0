#include <pthread.h>
#include <unistd.h>

#include "tests/trainer/virtual_box/cupti/cupti_library.h"

using namespace virtual_box_test;

namespace {

const ApiActivity kLaunch{Api::launch_kernel, 10, 20, 3};

}  // namespace

TEST_CASE("a kernel's record holds what was launched") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  KernelLaunch launch;
  const std::string name = "_Z4namePf";
  launch.mangled_name = std::string_view(name).substr(0, 7);  // not terminated
  launch.grid = {1, 2, 3};
  launch.block = {4, 5, 6};
  launch.registers_per_thread = 40;
  launch.static_shared_bytes = 100;
  launch.dynamic_shared_bytes = 200;
  profiler.sink->add(KernelActivity{100, 250, {1, 2, 13}, 9, 77, launch});
  const auto records = profiler.records<CUpti_ActivityKernel10>();
  REQUIRE(records.size() == 1);
  const auto& record = records[0];
  CHECK(std::string(record.name) == "_Z4name");
  CHECK((record.start == 100 && record.end == 250 && record.completed == 250));
  CHECK((record.deviceId == 1 && record.contextId == 2 && record.streamId == 13 && record.correlationId == 9 && record.gridId == 77));
  CHECK((record.gridX == 1 && record.gridY == 2 && record.gridZ == 3 && record.blockX == 4 && record.blockY == 5 && record.blockZ == 6));
  CHECK((record.registersPerThread == 40 && record.staticSharedMemory == 100 && record.dynamicSharedMemory == 200));
}

TEST_CASE("a copy's record says which memories, one between GPUs which GPUs") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_MEMCPY);
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::pageable, Memory::device, 0, 0});
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::pinned, 0, 0});
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::device, 0, 0});
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::device, 0, 1});  // not of this kind
  const auto copies = profiler.records<CUpti_ActivityMemcpy6>();
  REQUIRE(copies.size() == 3);
  CHECK((copies[0].copyKind == 1 && copies[0].srcKind == 1 && copies[0].dstKind == 3 && copies[0].bytes == 64));
  CHECK((copies[1].copyKind == 2 && copies[1].srcKind == 3 && copies[1].dstKind == 2));
  CHECK((copies[2].copyKind == 8 && copies[2].srcKind == 3 && copies[2].dstKind == 3));
  profiler.enable(CUPTI_ACTIVITY_KIND_MEMCPY2);
  profiler.sink->add(CopyActivity{1, 2, {0, 1, 13}, 5, 64, Memory::device, Memory::device, 0, 1});
  const auto peers = profiler.records<CUpti_ActivityMemcpyPtoP4>();
  REQUIRE(peers.size() == 1);
  CHECK((peers[0].kind == CUPTI_ACTIVITY_KIND_MEMCPY2 && peers[0].copyKind == 10));
  CHECK((peers[0].srcDeviceId == 0 && peers[0].dstDeviceId == 1 && peers[0].srcContextId == 1 && peers[0].dstContextId == 2));
}

TEST_CASE("waits, events and full queues are recorded with what they are about") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  profiler.sink->add(SynchronizationActivity{Waited::event, 1, 2, {0, 1, 7}, 5, 8, 21});
  profiler.sink->add(SynchronizationActivity{Waited::stream, 1, 2, {0, 1, 13}, 6, 0, 0});
  profiler.sink->add(SynchronizationActivity{Waited::device, 1, 2, {0, 1, 7}, 7, 0, 0});
  const auto waits = profiler.records<CUpti_ActivitySynchronization2>();
  REQUIRE(waits.size() == 3);
  CHECK((waits[0].type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE && waits[0].cudaEventId == 8 && waits[0].cudaEventSyncId == 21));
  CHECK(waits[0].streamId == CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  CHECK((waits[1].type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE && waits[1].streamId == 13));
  CHECK((waits[2].type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE && waits[2].contextId == 1));
  profiler.enable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  profiler.sink->add(EventActivity{50, {0, 1, 13}, 5, 8, 21});
  OF(profiler.cupti, cuptiActivityEnableCudaEventDeviceTimestamps)(1);
  profiler.sink->add(EventActivity{60, {0, 1, 13}, 5, 8, 22});
  const auto events = profiler.records<CUpti_ActivityCudaEvent2>();
  REQUIRE(events.size() == 2);
  CHECK((events[0].eventId == 8 && events[0].cudaEventSyncId == 21 && events[0].deviceTimestamp == 0));  // off by default
  CHECK(events[1].deviceTimestamp == 60);
  profiler.enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  profiler.sink->add(QueueFullActivity{5, 9, {0, 1, 13}, 5});
  const auto overheads = profiler.records<CUpti_ActivityOverhead3>();
  REQUIRE(overheads.size() == 1);
  CHECK((overheads[0].overheadKind == CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL && overheads[0].end == 9 && overheads[0].overheadData));
}

TEST_CASE("a call's record names the thread as asked, and follows the external ids on top of its stacks") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_RUNTIME);
  profiler.sink->add(kLaunch);
  OF(profiler.cupti, cuptiSetThreadIdType)(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  profiler.sink->add(kLaunch);
  OF(profiler.cupti, cuptiSetThreadIdType)(CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
  const auto calls = profiler.records<CUpti_ActivityAPI>();
  REQUIRE(calls.size() == 2);
  CHECK((calls[0].cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 && calls[0].start == 10 && calls[0].end == 20 && calls[0].correlationId == 3));
  CHECK(calls[0].threadId == static_cast<std::uint32_t>(pthread_self()));
  CHECK(calls[1].threadId == static_cast<std::uint32_t>(gettid()));
  OF(profiler.cupti, cuptiActivityDisable)(CUPTI_ACTIVITY_KIND_RUNTIME);
  profiler.enable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  const auto push = OF(profiler.cupti, cuptiActivityPushExternalCorrelationId);
  push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 100);
  push(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 101);
  push(CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN, 102);
  profiler.sink->add(kLaunch);
  const auto ids = profiler.records<CUpti_ActivityExternalCorrelation>();
  REQUIRE(ids.size() == 2);
  CHECK((ids[0].externalId == 102 && ids[1].externalId == 101 && ids[1].correlationId == 3));
  const auto pop = OF(profiler.cupti, cuptiActivityPopExternalCorrelationId);
  for (int i = 0; i < 2; ++i) CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr) == CUPTI_SUCCESS);
  CHECK(pop(CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN, nullptr) == CUPTI_SUCCESS);
}

TEST_CASE("enabling a kind that describes the machine records it") {
  Profiler profiler;
  profiler.enable(CUPTI_ACTIVITY_KIND_NVLINK);
  const auto nvlinks = profiler.records<CUpti_ActivityNvLink4>();
  REQUIRE(nvlinks.size() == 1);
  CHECK((nvlinks[0].physicalNvLinkCount == 2 && nvlinks[0].bandwidth == 80'000'000));
  profiler.enable(CUPTI_ACTIVITY_KIND_DEVICE);
  const auto devices = profiler.records<CUpti_ActivityDevice5>();
  REQUIRE(devices.size() == 2);
  CHECK((devices[1].id == 1 && devices[1].numMultiprocessors == 10 && devices[1].globalMemoryBandwidth == 100'000'000));
  CHECK(std::memcmp(&devices[0].uuid, &nvlinks[0].idDev0.uuidDev, sizeof(CUuuid)) == 0);
  CHECK(std::memcmp(&devices[0].uuid, &devices[1].uuid, sizeof(CUuuid)) != 0);
  profiler.enable(CUPTI_ACTIVITY_KIND_PCIE);
  const auto links = profiler.records<CUpti_ActivityPcie>();
  REQUIRE(links.size() == 3);
  CHECK((links[0].upstreamBus == 0 && links[1].upstreamBus == links[2].attr.bridgeAttr.secondaryBus));  // GPU 1 is behind the bridge
  CHECK((links[2].type == CUPTI_PCIE_DEVICE_TYPE_BRIDGE && links[2].linkWidth == 8 && links[0].linkWidth == 16));
  CHECK((links[0].attr.gpuAttr.peerDev[0] == 1 && links[0].attr.gpuAttr.peerDev[1] == -1));
  profiler.sink->add_context({1, 2, 7});
  profiler.enable(CUPTI_ACTIVITY_KIND_CONTEXT);  // later than the context
  const auto contexts = profiler.records<CUpti_ActivityContext3>();
  REQUIRE(contexts.size() == 1);
  CHECK((contexts[0].contextId == 2 && contexts[0].deviceId == 1 && contexts[0].nullStreamId == 7));
}
