// The real database against its own counts; databases of several versions made by hand.
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <set>

#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using tests::count_rows;
using tests::SqlFile;

Trace read(const std::filesystem::path& path) {
  auto trace = read_trace(path);
  if (!trace) FAIL(trace.error().line());
  return std::move(*trace);
}

Trace read_sql(const std::string& sql) {
  const SqlFile file(
      "CREATE TABLE Version(version INTEGER); INSERT INTO Version VALUES(9);"
      "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT NOT NULL);"
      "INSERT INTO StringTable VALUES(0,'-- null --'),(1,'_Z4convIfEvi'),(2,'loss'),(3,'GeForce GTX "
      "1060'),(4,'my domain'),(5,'trainer');" +
      sql);
  return read(file.path());
}

std::int64_t total(const Trace& trace, std::string_view part) {
  std::int64_t count = 0;
  for (const Diagnostic& diagnostic : trace.diagnostics) {
    if (diagnostic.what.find(part) != std::string::npos) count += diagnostic.count;
  }
  return count;
}

const Link* link_from(const Trace& trace, std::string_view from, LinkKind kind) {
  for (const Link& link : trace.links) {
    if (link.from == from && link.kind == kind) return &link;
  }
  return nullptr;
}

TEST_CASE("a real nvprof database loads row for row, with its machine") {
  const auto path =
      std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nvprof/blinkplus_nccl_4gpu.nvvp";
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: no real nvprof database here\n";
    return;
  }
  const Trace trace = read(path);
  REQUIRE(trace.metadata.producer == "nvprof");
  REQUIRE(trace.metadata.schema_version == "16");
  REQUIRE(trace.kernels.size() == count_rows(path, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"));
  REQUIRE(trace.copies.size() == count_rows(path, "CUPTI_ACTIVITY_KIND_MEMCPY"));
  REQUIRE(trace.fills.size() == count_rows(path, "CUPTI_ACTIVITY_KIND_MEMSET"));
  REQUIRE(trace.api_calls.size() ==
          count_rows(path, "CUPTI_ACTIVITY_KIND_RUNTIME") + count_rows(path, "CUPTI_ACTIVITY_KIND_DRIVER"));
  REQUIRE(trace.synchronizations.size() == count_rows(path, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"));
  REQUIRE(trace.overheads.size() == count_rows(path, "CUPTI_ACTIVITY_KIND_OVERHEAD"));
  REQUIRE(trace.cuda_events.size() == count_rows(path, "CUPTI_ACTIVITY_KIND_CUDA_EVENT"));
  REQUIRE(trace.gpus.size() == 8);
  REQUIRE(trace.links.size() ==
          count_rows(path, "CUPTI_ACTIVITY_KIND_PCIE") + count_rows(path, "CUPTI_ACTIVITY_KIND_NVLINK"));
  REQUIRE(trace.diagnostics.empty());
  REQUIRE_FALSE(trace.has(Table::nvtx));  // the table is there, and empty

  std::map<int, int> kernels_by_device;
  for (const DeviceId device : trace.kernels.device) ++kernels_by_device[device.value];
  REQUIRE(kernels_by_device == std::map<int, int>{{0, 8}, {1, 8}, {2, 4}, {3, 4}});
  REQUIRE(trace.text(trace.kernels.name[0]) == "ncclBroadcastRingLLKernel_copy_i8(ncclColl)");
  REQUIRE(trace.text(trace.kernels.short_name[0]) == "ncclBroadcastRingLLKernel_copy_i8");
  REQUIRE(trace.text(trace.kernels.mangled[0]) == "_Z33ncclBroadcastRingLLKernel_copy_i88ncclColl");
  REQUIRE(trace.processes.size() == 1);
  REQUIRE(trace.processes[0].pid == 52977);
  REQUIRE(trace.processes[0].name == "demo");
  REQUIRE(trace.kernels.process[0] == ProcessIndex{0});

  REQUIRE(trace.gpus[0].name == "Tesla V100-SXM2-32GB");
  REQUIRE(trace.gpus[0].clock_hz == 1'530'000'000);
  REQUIRE(trace.gpus[0].memory_bandwidth_bytes_per_s == 898'048'000'000);
  REQUIRE(trace.gpus[0].max_threads_per_sm == 2048);
  const Link* pcie = link_from(trace, "gpu:0", LinkKind::pcie);
  REQUIRE(pcie != nullptr);
  REQUIRE(pcie->to == "switch:0000:06");
  REQUIRE(pcie->generation == 3);
  REQUIRE(pcie->width == 16);
  REQUIRE(pcie->bytes_per_s == 15'753'846'153);  // 8 GT/s x 16 lanes x 128/130
  REQUIRE(link_from(trace, "switch:0000:03", LinkKind::pcie)->to == "root:0000:00");
  const Link* nvlink = link_from(trace, "gpu:0", LinkKind::nvlink);
  REQUIRE(nvlink->to == "gpu:1");
  REQUIRE(nvlink->bytes_per_s == 25'000'000'000);  // one NVLink 2, one direction
}

TEST_CASE("memory kinds are those of an export, not CUPTI's") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind "
      "INT, flags INT, bytes INT,"
      "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, "
      "runtimeCorrelationId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY "
      "VALUES(1,1,1,3,0,64,10,20,0,1,7,5,0),(2,2,3,2,0,64,30,40,0,1,7,6,0),(3,1,0,8,0,64,50,60,0,1,7,7,0);");
  REQUIRE(trace.copies.source_memory ==
          std::vector<MemoryKind>{MemoryKind::pageable, MemoryKind::device, MemoryKind::unknown});
  REQUIRE(trace.copies.destination_memory ==
          std::vector<MemoryKind>{MemoryKind::device, MemoryKind::pinned, MemoryKind::unknown});
  REQUIRE(total(trace, "copy rows of an unknown kind") == 1);
}

TEST_CASE("peer copies and pages of unified memory are copies") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY2(_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind "
      "INT, bytes INT, start INT, end INT,"
      "deviceId INT, contextId INT, streamId INT, srcDeviceId INT, dstDeviceId INT, correlationId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY2 VALUES(1,10,3,3,64,10,20,0,1,7,0,1,5);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER(counterKind INT, value INT, start INT, end "
      "INT, srcId INT, dstId INT, streamId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER "
      "VALUES(1,4096,30,40,0,2,7),(2,8192,50,60,2,0,7),(4,7,70,80,2,0,7);");
  REQUIRE(trace.copies.kind == std::vector<CopyKind>{CopyKind::peer_to_peer, CopyKind::unified_host_to_device,
                                                     CopyKind::unified_device_to_host});
  REQUIRE(trace.copies.source_device[0] == DeviceId{0});
  REQUIRE(trace.copies.destination_device[0] == DeviceId{1});
  REQUIRE(trace.copies.device == std::vector<DeviceId>{DeviceId{0}, DeviceId{2}, DeviceId{2}});
  REQUIRE(trace.copies.bytes == std::vector<std::int64_t>{64, 4096, 8192});
}

TEST_CASE("version 9, whose kernels lack later columns, is read") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(_id_ INTEGER PRIMARY KEY, cacheConfig BLOB, "
      "registersPerThread INT, start INT, end INT, deviceId INT,"
      "contextId INT, streamId INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, "
      "staticSharedMemory INT,"
      "dynamicSharedMemory INT, correlationId INT, name INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
      "VALUES(1,x'00',40,10,20,1,2,7,5,6,7,64,1,1,100,200,9,1),(2,x'00',40,0,0,1,2,7,5,6,7,64,1,1,100,200,9,"
      "1);");
  REQUIRE(trace.metadata.schema_version == "9");
  REQUIRE(trace.kernels.size() == 1);
  REQUIRE(trace.text(trace.kernels.name[0]) == "void conv<float>(int)");
  REQUIRE(trace.text(trace.kernels.short_name[0]) == "conv");
  REQUIRE(trace.kernels.grid[0] == Dim3{5, 6, 7});
  REQUIRE(trace.kernels.registers_per_thread[0] == 40);
  REQUIRE(trace.kernels.graph_node[0] == 0);
  REQUIRE(total(trace, "time was not collected") == 1);
}

TEST_CASE("API calls have the names of their ids, and unknown ids keep the number") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(cbid INT, start INT, end INT, processId INT, threadId INT, "
      "correlationId INT, returnValue INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME "
      "VALUES(211,10,20,1000,-1132818432,1,0),(99999,30,40,1000,-1132818432,2,0),(31,50,60,1000,77,3,0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER(cbid INT, start INT, end INT, processId INT, threadId INT, "
      "correlationId INT, returnValue INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES(307,70,80,1000,77,4,0);");
  std::vector<std::string> names;
  for (const StringId id : trace.api_calls.name) names.emplace_back(trace.text(id));
  REQUIRE(names == std::vector<std::string>{"cudaLaunchKernel_v7000", "cuda runtime call 99999",
                                            "cudaMemcpy_v3020", "cuLaunchKernel"});
  REQUIRE(trace.api_calls.api_class[3] == ApiClass::driver);
  REQUIRE(trace.threads.size() == 2);
  REQUIRE(trace.threads[0].tid == 3162148864);  // the low half of a pthread_t, read as unsigned
  REQUIRE(trace.threads[1].tid == 77);
}

TEST_CASE("markers are paired by id: nested, instant, without an end, without a start") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(flags INT, timestamp INT, id INT, objectKind INT, objectId "
      "BLOB, name INT, domain INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER "
      "VALUES(2,10,1,2,x'e80300004d000000',2,4),(2,20,2,2,x'e80300004d000000',2,0),"
      "(4,30,2,2,x'e80300004d000000',0,0),(4,40,1,2,x'e80300004d000000',0,4),(1,50,3,2,x'e80300004d000000',2,"
      "0),"
      "(2,60,4,1,x'e803000000000000',2,0),(4,70,5,2,x'',0,0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER_DATA(flags INT, id INT, payloadKind INT, payload BLOB, color "
      "INT, category INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER_DATA VALUES(2,1,0,x'',4278255360,6);");
  const NvtxRanges& nvtx = trace.nvtx;
  REQUIRE(nvtx.start_ns == std::vector<std::int64_t>{10, 20, 50, 60});
  REQUIRE(nvtx.end_ns == std::vector<std::int64_t>{40, 30, 50, kNoEnd});
  REQUIRE(nvtx.kind ==
          std::vector<NvtxKind>{NvtxKind::push_pop, NvtxKind::push_pop, NvtxKind::mark, NvtxKind::start_end});
  REQUIRE(trace.text(nvtx.domain[0]) == "my domain");
  REQUIRE(trace.text(nvtx.domain[1]).empty());
  REQUIRE(trace.text(nvtx.category[0]) == "category 6");
  REQUIRE(nvtx.color_argb[0] == 0xFF00FF00u);
  REQUIRE(trace.threads.at(0).tid == 77);
  REQUIRE(total(trace, "still open") == 1);
  REQUIRE(total(trace, "of a kind that is not read") == 1);
}

TEST_CASE("synchronizations and events have the device of their context") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_CONTEXT(contextId INT, deviceId INT); INSERT INTO "
      "CUPTI_ACTIVITY_KIND_CONTEXT VALUES(3,2);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(type INT, start INT, end INT, correlationId INT, "
      "contextId INT, streamId INT, cudaEventId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION "
      "VALUES(4,10,20,1,3,4294967295,4294967295),(4,10,20,1,9,0,0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(correlationId INT, contextId INT, streamId INT, eventId "
      "INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(5,3,7,8);");
  REQUIRE(trace.synchronizations.size() == 1);
  REQUIRE(trace.synchronizations.device[0] == DeviceId{2});
  REQUIRE(trace.synchronizations.stream[0] == StreamId{-1});
  REQUIRE(total(trace, "synchronization rows without a device") == 1);
  REQUIRE(trace.cuda_events.device.at(0) == DeviceId{2});
  REQUIRE(trace.cuda_events.event.at(0) == 8);
}

TEST_CASE("overheads: CUPTI's kinds become those of an export") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD(overheadKind INT, objectKind INT, objectId BLOB, start INT, "
      "end INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD "
      "VALUES(1,2,x'e80300004d000000',10,20),(65536,2,x'e80300004d000000',20,30),"
      "(196608,1,x'e8',30,40),(393216,0,x'',40,50),(458752,0,x'',50,60);");
  REQUIRE(trace.overheads.kind ==
          std::vector<OverheadKind>{OverheadKind::driver_jit, OverheadKind::buffer_flush,
                                    OverheadKind::resource, OverheadKind::command_buffer_full,
                                    OverheadKind::unknown});
  REQUIRE(trace.overheads.thread[0] == ThreadIndex{0});
  REQUIRE(trace.overheads.thread[2] == ThreadIndex{-1});
  REQUIRE(total(trace, "overhead rows of an unknown kind") == 1);
}

TEST_CASE("PCIe generation 2 loses a fifth to its line code") {
  const Trace trace = read_sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_PCIE(type INT, id BLOB, domain INT, pcieGeneration INT, linkRate "
      "INT, linkWidth INT, upstreamBus INT, attr BLOB);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_PCIE VALUES(0,x'01000000',0,2,5000,4,128,x'');");
  REQUIRE(trace.links.size() == 1);
  REQUIRE(trace.links[0].from == "gpu:1");
  REQUIRE(trace.links[0].to == "root:0000:80");
  REQUIRE(trace.links[0].bytes_per_s == 2'000'000'000);
}

TEST_CASE("a database without events captured nothing") {
  REQUIRE(read_sql("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT)").captured.none());
}

}  // namespace
}  // namespace gputrace::trace
