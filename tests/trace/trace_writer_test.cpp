#include "trace/trace_writer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <limits>

#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using tests::count_rows;
using tests::query;
using tests::TemporaryFolder;

constexpr std::uint64_t kPid = std::uint64_t{4321} << 24;
constexpr std::uint64_t kTid = kPid | 77;
constexpr std::int64_t kTimeFarNs = (std::int64_t{1} << 62) - 1;  // the farthest that a reader takes

const Metadata kMetadata{.producer = "gputrace 0.1.0"};

// A file of one test: rows go in through `writer`, come back through read().
struct Recording {
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "trace.sqlite";
  Result<TraceWriter> created = TraceWriter::create(path, false);
  TraceWriter& writer = *created;

  void finish(const Metadata& metadata = kMetadata) {
    const auto done = writer.finish(metadata);
    if (!done) FAIL(done.error().line());
  }
  Trace read(const Metadata& metadata = kMetadata) {
    finish(metadata);
    auto trace = read_trace(path);
    if (!trace) FAIL(trace.error().line());
    return std::move(*trace);
  }
};

template <class Row>
Row on_device(std::int64_t start_ns, std::int64_t end_ns) {
  Row row;
  row.start_ns = start_ns, row.end_ns = end_ns;
  row.device = 3, row.context = 4, row.stream = 5;
  row.correlation = 6;
  row.global_pid = kPid;
  return row;
}

template <class Columns>
void require_on_device(const Columns& columns, const Trace& trace) {
  REQUIRE(columns.size() == 1);
  REQUIRE(columns.span(0) == Span{10, 20});
  REQUIRE(columns.device[0] == DeviceId{3});
  REQUIRE(columns.context[0] == ContextId{4});
  REQUIRE(columns.stream[0] == StreamId{5});
  REQUIRE(columns.correlation[0] == CorrelationId{6});
  REQUIRE(trace.processes.at(static_cast<std::size_t>(columns.process[0].value)).global_pid == kPid);
  REQUIRE(trace.processes.at(static_cast<std::size_t>(columns.process[0].value)).pid == 4321);
}

TEST_CASE("a kernel comes back as written") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  auto row = on_device<KernelRow>(10, 20);
  row.name = writer.intern("void conv<float>(int)");
  row.short_name = writer.intern("conv");
  row.mangled = writer.intern("_Z4convIfEvi");
  row.grid = {7, 8, 9};
  row.block = {32, 2, 3};
  row.registers_per_thread = 64;
  row.static_shared_bytes = 1024;
  row.dynamic_shared_bytes = 2048;
  row.graph_node = 99;
  writer.add(row);
  const Trace trace = recording.read();
  require_on_device(trace.kernels, trace);
  REQUIRE(trace.text(trace.kernels.name[0]) == "void conv<float>(int)");
  REQUIRE(trace.text(trace.kernels.short_name[0]) == "conv");
  REQUIRE(trace.text(trace.kernels.mangled[0]) == "_Z4convIfEvi");
  REQUIRE(trace.kernels.grid[0] == Dim3{7, 8, 9});
  REQUIRE(trace.kernels.block[0] == Dim3{32, 2, 3});
  REQUIRE(trace.kernels.registers_per_thread[0] == 64);
  REQUIRE(trace.kernels.static_shared_bytes[0] == 1024);
  REQUIRE(trace.kernels.dynamic_shared_bytes[0] == 2048);
  REQUIRE(trace.kernels.graph_node[0] == 99);
  REQUIRE(trace.diagnostics.empty());
}

TEST_CASE("what a kernel row leaves open is NULL in the file") {
  Recording recording;
  recording.writer.add(KernelRow{});
  recording.finish();
  REQUIRE(query(recording.path,
                "SELECT globalPid, correlationId, mangledName, graphNodeId, graphId, clusterX "
                "FROM CUPTI_ACTIVITY_KIND_KERNEL") ==
          std::vector<std::string>{"NULL|NULL|NULL|NULL|NULL|NULL"});
}

TEST_CASE("copies come back as written, peer to peer with both devices") {
  Recording recording;
  auto row = on_device<CopyRow>(10, 20);
  row.bytes = std::int64_t{1} << 40;
  row.kind = CopyKind::peer_to_peer;
  row.source_memory = MemoryKind::device;
  row.destination_memory = MemoryKind::managed;
  row.source_device = 1;
  row.destination_device = 2;
  recording.writer.add(row);
  const Trace trace = recording.read();
  require_on_device(trace.copies, trace);
  REQUIRE(trace.copies.bytes[0] == std::int64_t{1} << 40);
  REQUIRE(trace.copies.kind[0] == CopyKind::peer_to_peer);
  REQUIRE(trace.copies.source_memory[0] == MemoryKind::device);
  REQUIRE(trace.copies.destination_memory[0] == MemoryKind::managed);
  REQUIRE(trace.copies.source_device[0] == DeviceId{1});
  REQUIRE(trace.copies.destination_device[0] == DeviceId{2});
}

TEST_CASE("a copy without peers has its own device at both ends") {
  Recording recording;
  recording.writer.add(on_device<CopyRow>(10, 20));
  const Trace trace = recording.read();
  REQUIRE(trace.copies.source_device[0] == DeviceId{3});
  REQUIRE(trace.copies.destination_device[0] == DeviceId{3});
  REQUIRE(trace.copies.source_memory[0] == MemoryKind::unknown);
}

TEST_CASE("fills, synchronizations, events and graph launches come back as written") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  auto fill = on_device<FillRow>(10, 20);
  fill.bytes = 77;
  fill.memory = MemoryKind::device;
  writer.add(fill);
  auto synchronization = on_device<SynchronizationRow>(10, 20);
  synchronization.kind = SyncKind::stream;
  synchronization.event = 8;
  synchronization.event_sync = 9;
  writer.add(synchronization);
  auto event = on_device<CudaEventRow>(10, 10);
  event.event = 5;
  event.event_sync = 6;
  writer.add(event);
  auto launch = on_device<GraphLaunchRow>(10, 20);
  launch.graph = 2;
  launch.graph_exec = 3;
  writer.add(launch);
  const Trace trace = recording.read();
  require_on_device(trace.fills, trace);
  REQUIRE(trace.fills.bytes[0] == 77);
  REQUIRE(trace.fills.memory[0] == MemoryKind::device);
  require_on_device(trace.synchronizations, trace);
  REQUIRE(trace.synchronizations.kind[0] == SyncKind::stream);
  REQUIRE(trace.synchronizations.event[0] == 8);
  REQUIRE(trace.synchronizations.event_sync[0] == 9);
  REQUIRE(trace.cuda_events.span(0) == Span{10, 10});
  REQUIRE(trace.cuda_events.event[0] == 5);
  REQUIRE(trace.cuda_events.event_sync[0] == 6);
  require_on_device(trace.graph_launches, trace);
  REQUIRE(trace.graph_launches.graph[0] == 2);
  REQUIRE(trace.graph_launches.graph_exec[0] == 3);
}

TEST_CASE("a synchronization of the whole context has stream -1") {
  Recording recording;
  auto row = on_device<SynchronizationRow>(10, 20);
  row.stream = -1;
  recording.writer.add(row);
  const Trace trace = recording.read();
  REQUIRE(trace.synchronizations.stream[0] == StreamId{-1});
  REQUIRE(query(recording.path, "SELECT streamId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION").at(0) ==
          "4294967295");
}

TEST_CASE("API calls and overheads come back as written") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  writer.add(ApiCallRow{.start_ns = 1,
                        .end_ns = 2,
                        .correlation = 3,
                        .global_tid = kTid,
                        .name = writer.intern("cuLaunchKernel"),
                        .api_class = ApiClass::driver,
                        .return_value = 700});
  writer.add(OverheadRow{.start_ns = 4,
                         .end_ns = 5,
                         .correlation = 6,
                         .global_tid = kTid,
                         .name = writer.intern("flush"),
                         .kind = OverheadKind::buffer_flush});
  const Trace trace = recording.read();
  REQUIRE(trace.api_calls.span(0) == Span{1, 2});
  REQUIRE(trace.api_calls.correlation[0] == CorrelationId{3});
  REQUIRE(trace.text(trace.api_calls.name[0]) == "cuLaunchKernel");
  REQUIRE(trace.api_calls.api_class[0] == ApiClass::driver);
  REQUIRE(trace.api_calls.return_value[0] == 700);
  REQUIRE(trace.threads.at(0).tid == 77);
  REQUIRE(trace.threads.at(0).process == ProcessIndex{0});
  REQUIRE(trace.overheads.start_ns[0] == 4);
  REQUIRE(trace.overheads.end_ns[0] == 5);
  REQUIRE(trace.overheads.thread[0] == ThreadIndex{0});
  REQUIRE(trace.overheads.kind[0] == OverheadKind::buffer_flush);
  REQUIRE(trace.text(trace.overheads.name[0]) == "flush");
}

TEST_CASE("NVTX ranges come back with domain, category, color and open ends") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  writer.add(NvtxRow{.start_ns = 30,
                     .end_ns = {},
                     .kind = NvtxKind::start_end,
                     .global_tid = kTid,
                     .domain = 2,
                     .category = 4,
                     .text = writer.intern("open")});
  writer.add(NvtxRow{.start_ns = 20,
                     .end_ns = {},
                     .kind = NvtxKind::mark,
                     .global_tid = kTid,
                     .text = writer.intern("mark")});
  writer.add(NvtxRow{.start_ns = 10,
                     .end_ns = 15,
                     .global_tid = kTid,
                     .color_argb = 0xFF00FF00u,
                     .text = writer.intern("step"),
                     .double_value = 0.25});
  writer.add(NvtxRow{
      .kind = NvtxKind::domain_create, .global_tid = kTid, .domain = 2, .text = writer.intern("nccl")});
  writer.add(NvtxRow{.kind = NvtxKind::category,
                     .global_tid = kTid,
                     .domain = 2,
                     .category = 4,
                     .text = writer.intern("loss")});
  writer.add(NvtxRow{.kind = NvtxKind::thread_name, .global_tid = kTid, .text = writer.intern("loader")});
  const Trace trace = recording.read();
  const NvtxRanges& nvtx = trace.nvtx;
  REQUIRE(nvtx.size() == 3);
  REQUIRE(trace.text(nvtx.text[0]) == "step");
  REQUIRE(nvtx.start_ns[0] == 10);
  REQUIRE(nvtx.end_ns[0] == 15);
  REQUIRE(nvtx.kind[0] == NvtxKind::push_pop);
  REQUIRE(nvtx.color_argb[0] == 0xFF00FF00u);
  REQUIRE(trace.text(nvtx.domain[0]).empty());
  REQUIRE(trace.text(nvtx.category[0]).empty());
  REQUIRE(trace.text(nvtx.text[1]) == "mark");
  REQUIRE(nvtx.start_ns[1] == 20);
  REQUIRE(nvtx.end_ns[1] == 20);
  REQUIRE(nvtx.end_ns[2] == kNoEnd);
  REQUIRE(trace.text(nvtx.domain[2]) == "nccl");
  REQUIRE(trace.text(nvtx.category[2]) == "loss");
  REQUIRE(trace.threads.at(0).name == "loader");
  REQUIRE(query(recording.path, "SELECT doubleValue FROM NVTX_EVENTS WHERE doubleValue IS NOT NULL").at(0) ==
          "0.25");
}

TEST_CASE("the machine, the processes and the links come back as written") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  const Gpu gpu{.device = DeviceId{1},
                .name = "NVIDIA H100",
                .bus_location = "0000:57:00.0",
                .uuid = "GPU-1",
                .sm_count = 132,
                .compute_major = 9,
                .compute_minor = 1,
                .clock_hz = 1'980'000'000,
                .memory_bandwidth_bytes_per_s = 3'350'000'000'000,
                .memory_bytes = 80'000'000'000,
                .max_threads_per_sm = 2048,
                .max_blocks_per_sm = 32,
                .registers_per_sm = 65536,
                .shared_bytes_per_sm = 233472,
                .copy_engines = 3};
  writer.add(GpuRow{gpu, 4321});
  writer.add(GpuRow{gpu, 4322});  // the same GPU, seen by another process
  writer.add(Link{.kind = LinkKind::nvlink,
                  .from = "gpu:0",
                  .to = "gpu:1",
                  .generation = 4,
                  .width = 18,
                  .bytes_per_s = 450'000'000'000});
  writer.add(Process{.global_pid = kPid, .pid = 4321, .name = "trainer"});
  writer.add(Thread{.global_tid = kTid, .process = {}, .tid = 77, .name = "worker"});
  writer.add(
      OpPlacement{.op_name = "conv1", .op_type = "Conv2D", .requested_device = "/gpu:0", .device = "/cpu:0"});
  writer.add(Diagnostic{.what = "records that had no thread", .count = 3});
  writer.add(StreamRow{.context = 1, .stream = 7, .priority = -1, .flag = 2, .pid = 4321});
  writer.add(ContextRow{.context = 1, .device = 1, .null_stream = 7, .pid = 4321});
  const Trace trace = recording.read();
  REQUIRE(trace.gpus.size() == 1);
  const Gpu& read = trace.gpus[0];
  REQUIRE(read.device == gpu.device);
  REQUIRE(read.name == gpu.name);
  REQUIRE(read.bus_location == gpu.bus_location);
  REQUIRE(read.uuid == gpu.uuid);
  REQUIRE(read.sm_count == gpu.sm_count);
  REQUIRE(read.compute_major == gpu.compute_major);
  REQUIRE(read.compute_minor == gpu.compute_minor);
  REQUIRE(read.clock_hz == gpu.clock_hz);
  REQUIRE(read.memory_bandwidth_bytes_per_s == gpu.memory_bandwidth_bytes_per_s);
  REQUIRE(read.memory_bytes == gpu.memory_bytes);
  REQUIRE(read.max_threads_per_sm == gpu.max_threads_per_sm);
  REQUIRE(read.max_blocks_per_sm == gpu.max_blocks_per_sm);
  REQUIRE(read.registers_per_sm == gpu.registers_per_sm);
  REQUIRE(read.shared_bytes_per_sm == gpu.shared_bytes_per_sm);
  REQUIRE(read.copy_engines == gpu.copy_engines);
  REQUIRE(trace.links.size() == 1);
  REQUIRE(trace.links[0].kind == LinkKind::nvlink);
  REQUIRE(trace.links[0].from == "gpu:0");
  REQUIRE(trace.links[0].to == "gpu:1");
  REQUIRE(trace.links[0].generation == 4);
  REQUIRE(trace.links[0].width == 18);
  REQUIRE(trace.links[0].bytes_per_s == 450'000'000'000);
  REQUIRE(trace.processes.at(0).name == "trainer");
  REQUIRE(trace.threads.at(0).name == "worker");
  REQUIRE(trace.op_placements.at(0).op_name == "conv1");
  REQUIRE(trace.op_placements.at(0).device == "/cpu:0");
  REQUIRE(trace.diagnostics.size() == 1);
  REQUIRE(trace.diagnostics[0].what == "records that had no thread");
  REQUIRE(trace.diagnostics[0].count == 3);
  REQUIRE(count_rows(recording.path, "TARGET_INFO_CUDA_DEVICE") == 2);
  REQUIRE(query(recording.path, "SELECT streamId, contextId, priority, flag FROM TARGET_INFO_CUDA_STREAM")
              .at(0) == "7|1|-1|2");
  REQUIRE(query(recording.path, "SELECT nullStreamId, deviceId FROM TARGET_INFO_CUDA_CONTEXT_INFO").at(0) ==
          "7|1");
}

TEST_CASE("device 0 of two processes is two GPUs where they say so, in kernels and in copies between them") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  writer.add(GpuRow{{.device = DeviceId{0}, .name = "A", .uuid = "GPU-A", .sm_count = 1}, 1000});
  writer.add(GpuRow{{.device = DeviceId{1}, .name = "B", .uuid = "GPU-B", .sm_count = 1}, 1000});
  writer.add(GpuRow{{.device = DeviceId{0}, .name = "B", .uuid = "GPU-B", .sm_count = 1}, 2000});
  writer.add(GpuRow{{.device = DeviceId{1}, .name = "A", .uuid = "GPU-A", .sm_count = 1}, 2000});
  for (const int pid : {1000, 2000}) {
    CopyRow copy = on_device<CopyRow>(pid, pid + 1);
    copy.global_pid = static_cast<std::uint64_t>(pid) << 24;
    copy.device = 0, copy.source_device = 0, copy.destination_device = 1;
    writer.add(copy);
  }
  const Trace trace = recording.read();
  REQUIRE(trace.gpus.size() == 2);
  REQUIRE(trace.gpus[0].device != trace.gpus[1].device);
  REQUIRE(trace.copies.device == std::vector<DeviceId>{DeviceId{0}, DeviceId{1}});
  REQUIRE(trace.copies.source_device == std::vector<DeviceId>{DeviceId{0}, DeviceId{1}});
  REQUIRE(trace.copies.destination_device == std::vector<DeviceId>{DeviceId{1}, DeviceId{0}});
  REQUIRE(trace.diagnostics.empty());
}

TEST_CASE("metadata come back as written") {
  Recording recording;
  recording.writer.capture_setting("SAMPLING", "off");
  const Trace trace = recording.read({.file = {},
                                      .producer = "gputrace 0.1.0",
                                      .schema_version = {},
                                      .simulated = true,
                                      .machine = "4 x H100",
                                      .complete = false,
                                      .incomplete_why = "killed",
                                      .dropped_records = 12,
                                      .start_utc_ns = 1'700'000'000'000'000'001});
  REQUIRE(trace.metadata.file == recording.path.string());
  REQUIRE(trace.metadata.producer == "gputrace 0.1.0");
  REQUIRE(trace.metadata.schema_version == "3.27.0");
  REQUIRE(trace.metadata.simulated);
  REQUIRE(trace.metadata.machine == "4 x H100");
  REQUIRE_FALSE(trace.metadata.complete);
  REQUIRE(trace.metadata.incomplete_why == "killed");
  REQUIRE(trace.metadata.dropped_records == 12);
  REQUIRE(trace.metadata.start_utc_ns == 1'700'000'000'000'000'001);
  REQUIRE(query(recording.path, "SELECT value FROM META_DATA_CAPTURE WHERE name='SAMPLING'").at(0) == "off");
  REQUIRE(query(recording.path, "SELECT value FROM META_DATA_CAPTURE WHERE name='SIMULATED'").at(0) ==
          "true");
  REQUIRE(query(recording.path, "SELECT utcTime FROM TARGET_INFO_SESSION_START_TIME").at(0) ==
          "2023-11-14T22:13:20");
}

TEST_CASE("a table is captured when it is declared, even if it stays empty") {
  for (int i = 0; i < static_cast<int>(Table::count); ++i) {
    const auto table = static_cast<Table>(i);
    INFO(name(table));
    Recording recording;
    recording.writer.declare(table);
    const Trace trace = recording.read();
    REQUIRE(trace.has(table));
    REQUIRE(trace.captured.count() == 1);
  }
  Recording recording;
  REQUIRE(recording.read().captured.none());
}

TEST_CASE("rows by the batch and the rest arrive once each, whatever their number") {
  for (const int rows : {1, 1023, 1024, 1025, 5000}) {
    Recording recording;
    for (int i = 1; i <= rows; ++i)
      recording.writer.add(ApiCallRow{.start_ns = i, .end_ns = i + 1, .correlation = i});
    const Trace trace = recording.read();
    REQUIRE(trace.api_calls.size() == static_cast<std::size_t>(rows));
    std::int64_t sum = 0;
    for (const CorrelationId id : trace.api_calls.correlation) sum += id.value;
    REQUIRE(sum == std::int64_t{rows} * (rows + 1) / 2);
  }
}

TEST_CASE("extreme numbers and strings survive the file") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  const std::string long_name(512 * 1024, 'x');
  const std::string odd_name("quote ' and \" and \n and \xc3\xa9");
  constexpr std::int64_t kBig = (std::int64_t{1} << 53) + 1;  // not a double
  writer.add(ApiCallRow{.start_ns = -kTimeFarNs,
                        .end_ns = kTimeFarNs,
                        .correlation = kBig,
                        .global_tid = std::numeric_limits<std::uint64_t>::max(),
                        .name = writer.intern(long_name)});
  writer.add(ApiCallRow{.start_ns = kTimeFarNs, .end_ns = kTimeFarNs, .name = writer.intern(odd_name)});
  const Trace trace = recording.read();
  REQUIRE(trace.api_calls.size() == 2);
  REQUIRE(trace.api_calls.span(0) == Span{-kTimeFarNs, kTimeFarNs});
  REQUIRE(trace.api_calls.correlation[0].value == kBig);
  REQUIRE(trace.threads.at(0).global_tid == std::numeric_limits<std::uint64_t>::max());
  REQUIRE(trace.text(trace.api_calls.name[0]) == long_name);
  REQUIRE(trace.text(trace.api_calls.name[1]) == odd_name);
}

TEST_CASE("a string is stored once") {
  Recording recording;
  REQUIRE(recording.writer.intern("a") == recording.writer.intern("a"));
  REQUIRE(recording.writer.intern("a") != recording.writer.intern("b"));
  REQUIRE(recording.writer.intern("") == 0);
  recording.finish();
  REQUIRE(query(recording.path, "SELECT id, value FROM StringIds ORDER BY id") ==
          std::vector<std::string>{"0|", "1|a", "2|b"});
}

TEST_CASE("scripts written for Nsight Systems exports run on our files") {
  Recording recording;
  TraceWriter& writer = recording.writer;
  auto kernel = on_device<KernelRow>(10, 20);
  kernel.name = writer.intern("void conv<float>(int)");
  kernel.short_name = writer.intern("conv");
  writer.add(kernel);
  kernel.start_ns = 30, kernel.end_ns = 45;
  writer.add(kernel);
  writer.add(NvtxRow{.start_ns = 0, .end_ns = 50, .global_tid = kTid, .text = writer.intern("step 0")});
  auto copy = on_device<CopyRow>(50, 60);
  copy.bytes = 100;
  copy.kind = CopyKind::host_to_device;
  writer.add(copy);
  writer.add(ApiCallRow{.start_ns = 5,
                        .end_ns = 6,
                        .correlation = 6,
                        .global_tid = kTid,
                        .name = writer.intern("cudaLaunchKernel")});
  recording.finish();
  REQUIRE(query(recording.path,
                "SELECT COALESCE(NVTX_EVENTS.text, StringIds.value), end - start FROM NVTX_EVENTS "
                "LEFT JOIN StringIds ON NVTX_EVENTS.textId = StringIds.id WHERE eventType = 59")
              .at(0) == "step 0|50");
  REQUIRE(
      query(recording.path,
            "SELECT value, COUNT(*), SUM(end - start), MIN(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k "
            "JOIN StringIds ON k.shortName = StringIds.id GROUP BY shortName ORDER BY 3 DESC")
          .at(0) == "conv|2|25|10");
  REQUIRE(query(recording.path,
                "SELECT label, SUM(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY AS m "
                "JOIN ENUM_CUDA_MEMCPY_OPER AS e ON m.copyKind = e.id GROUP BY copyKind")
              .at(0) == "Host-to-Device|100");
  REQUIRE(query(recording.path,
                "SELECT s.value, r.globalTid & 0xFFFFFF FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                "CUPTI_ACTIVITY_KIND_RUNTIME r "
                "ON k.correlationId = r.correlationId AND k.globalPid = r.globalTid & ~0xFFFFFF "
                "JOIN StringIds s ON r.nameId = s.id")
              .at(0) == "cudaLaunchKernel|77");
  REQUIRE(query(recording.path, "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'")
              .at(0) == "3.27.0");
  REQUIRE(query(recording.path, "PRAGMA integrity_check").at(0) == "ok");
}

TEST_CASE("the file has its name only when it is whole") {
  Recording recording;
  recording.writer.add(KernelRow{});
  REQUIRE_FALSE(std::filesystem::exists(recording.path));
  recording.finish();
  REQUIRE(recording.folder.names() == std::vector<std::string>{"trace.sqlite"});
}

TEST_CASE("a writer that is not finished leaves nothing") {
  TemporaryFolder folder;
  {
    auto writer = TraceWriter::create(folder.path() / "trace.sqlite", false);
    REQUIRE(writer);
    for (int i = 0; i < 3000; ++i) writer->add(KernelRow{});
    TraceWriter moved = std::move(*writer);
    moved.add(KernelRow{});
  }
  REQUIRE(folder.names().empty());
}

TEST_CASE("an existing file is kept, unless it may be overwritten") {
  TemporaryFolder folder;
  const auto path = folder.path() / "trace.sqlite";
  tests::write_file(path, "precious");
  const auto refused = TraceWriter::create(path, false);
  REQUIRE_FALSE(refused);
  REQUIRE(refused.error().line() ==
          path.string() + ": the file exists; choose another name, or --force to replace it");
  auto writer = TraceWriter::create(path, true);
  REQUIRE(writer);
  REQUIRE(tests::file_bytes(path) == "precious");
  REQUIRE(writer->finish({}));
  REQUIRE(read_trace(path));
}

TEST_CASE("a file that appears while we write is kept, and ours is removed") {
  Recording recording;
  tests::write_file(recording.path, "someone else's");
  const auto done = recording.writer.finish({});
  REQUIRE_FALSE(done);
  REQUIRE(done.error().what == "the file was made by someone else meanwhile");
  REQUIRE(tests::file_bytes(recording.path) == "someone else's");
  { TraceWriter dropped = std::move(recording.writer); }
  REQUIRE(recording.folder.names() == std::vector<std::string>{"trace.sqlite"});
}

TEST_CASE("two writers of one name do not disturb each other: the first to finish has it") {
  TemporaryFolder folder;
  const auto path = folder.path() / "trace.sqlite";
  auto first = TraceWriter::create(path, false), second = TraceWriter::create(path, false);
  REQUIRE(first);
  REQUIRE(second);
  first->declare(Table::kernels);
  REQUIRE(first->finish({}));
  REQUIRE_FALSE(second->finish({}));
  REQUIRE(read_trace(path)->has(Table::kernels));
}

TEST_CASE("a folder that is missing, or a folder of that name, is one clear error") {
  TemporaryFolder folder;
  const auto missing = TraceWriter::create(folder.path() / "no" / "trace.sqlite", false);
  REQUIRE_FALSE(missing);
  REQUIRE(missing.error().what == "cannot write in this folder: No such file or directory");
  const auto is_folder = TraceWriter::create(folder.path(), true);
  REQUIRE_FALSE(is_folder);
  REQUIRE(is_folder.error().what == "a folder of this name exists");
}

// A limit on the size of files stands in for a full disk: the write fails in the same place.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST_CASE("a write that fails is told once by finish(), and leaves nothing") {
  TemporaryFolder folder;
  const auto path = folder.path() / "trace.sqlite";
  {
    auto writer = TraceWriter::create(path, false);
    REQUIRE(writer);
    const FileSizeLimit limit{1 << 20};
    for (int i = 0; i < 1'000'000; ++i) writer->add(on_device<KernelRow>(i, i + 1));
    const auto done = writer->finish({});
    REQUIRE_FALSE(done);
    REQUIRE(done.error().where == path.string());
    REQUIRE(done.error().line().find('\n') == std::string::npos);
    INFO(done.error().line());
    REQUIRE((done.error().what.find("File too large") != std::string::npos ||
             done.error().what == "the disk is full"));
  }
  REQUIRE(folder.names().empty());
}

}  // namespace
}  // namespace gputrace::trace
