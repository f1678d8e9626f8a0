// Real exports against SQLite's own counts; exports of old and new schemas, and hostile ones, made by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>

#include "tests/trace/sqlite_fixture.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using tests::count_rows;
using tests::SqlFile;

const std::filesystem::path kData = std::filesystem::path(GPUTRACE_SOURCE_DIR) / "../shared/data/nsys";

std::int64_t total(const Trace& trace, std::string_view part) {
  std::int64_t count = 0;
  for (const Diagnostic& diagnostic : trace.diagnostics) {
    if (diagnostic.what.find(part) != std::string::npos) count += diagnostic.count;
  }
  return count;
}

TEST_CASE("real exports load row for row") {
  if (!std::filesystem::exists(kData)) {
    std::cout << "skipped: no real exports here\n";
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(kData)) {
    if (entry.path().extension() != ".sqlite") continue;
    INFO(entry.path());
    const auto trace = read_trace(entry.path());
    if (!trace) FAIL(trace.error().line());
    const std::map<std::string, std::size_t> read = {
        {"CUPTI_ACTIVITY_KIND_KERNEL", trace->kernels.size()},
        {"CUPTI_ACTIVITY_KIND_MEMCPY", trace->copies.size()},
        {"CUPTI_ACTIVITY_KIND_MEMSET", trace->fills.size()},
        {"CUPTI_ACTIVITY_KIND_RUNTIME", trace->api_calls.size()},
        {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", trace->synchronizations.size()},
        {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", trace->cuda_events.size()},
        {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", trace->graph_launches.size()}};
    for (const auto& [table, size] : read) {
      INFO(table);
      REQUIRE(size == count_rows(entry.path(), table));
    }
    REQUIRE(trace->overheads.size() == count_rows(entry.path(), "CUPTI_ACTIVITY_KIND_OVERHEAD") +
                                           count_rows(entry.path(), "PROFILER_OVERHEAD"));
    REQUIRE(trace->nvtx.size() == count_rows(entry.path(), "NVTX_EVENTS", "eventType IN (34, 59, 60)"));
    REQUIRE(total(*trace, "left out") == 0);
    REQUIRE(total(*trace, "not among the file's strings") == 0);
  }
}

// Schema 2.9.1 of Nsight Systems 2022.1: EXPORT_META_DATA, no ENUM_ tables, no green contexts, no process in
// some tables.
constexpr char kOldExport[] = R"(
  CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
  INSERT INTO StringIds VALUES(0,''),(1,'void conv<float>()'),(2,'conv'),(3,'cudaLaunchKernel_v7000'),(4,'worker'),(5,'registered');
  CREATE TABLE EXPORT_META_DATA(name TEXT NOT NULL, value TEXT);
  INSERT INTO EXPORT_META_DATA VALUES('EXPORT_PRODUCT_VERSION','2022.1.3.3-1c7b5f7'),('EXPORT_SCHEMA_VERSION','2.9.1');
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER,
    registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
    blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
    dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,
    gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(300,400,0,1,7,12,16777216000,1,2,NULL,NULL,NULL,32,2,3,4,64,1,1,0,512,0,0,9,0,NULL,0),
    (100,200,1,1,7,11,16777216000,1,2,NULL,NULL,NULL,32,2,3,4,64,1,1,0,512,0,0,9,0,5,0);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
    globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(90,95,0,16777217001,11,3,0,NULL);
  CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
  INSERT INTO ThreadNames VALUES(4,0,16777217001),(4,0,33554433001);
  CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);
  INSERT INTO PROCESSES VALUES(16777216000,1000,'python'),(33554432000,2000,'other');
)";

Trace read(const SqlFile& file) {
  auto trace = read_trace(file.path());
  if (!trace) FAIL(trace.error().line());
  return std::move(*trace);
}

TEST_CASE("an export of schema 2.9 is read") {
  const SqlFile file(kOldExport);
  const Trace trace = read(file);
  REQUIRE(trace.metadata.producer == "Nsight Systems 2022.1.3.3-1c7b5f7");
  REQUIRE(trace.metadata.schema_version == "2.9.1");
  REQUIRE(trace.kernels.size() == 2);
  REQUIRE(trace.kernels.span(0) == Span{100, 200});  // the file has it second
  REQUIRE(trace.kernels.device[0] == DeviceId{1});
  REQUIRE(trace.kernels.graph_node == std::vector<std::int64_t>{5, 0});
  REQUIRE(trace.text(trace.kernels.name[0]) == "void conv<float>()");
  REQUIRE(trace.text(trace.kernels.short_name[0]) == "conv");
  REQUIRE(trace.kernels.grid[0] == Dim3{2, 3, 4});
  REQUIRE(trace.kernels.dynamic_shared_bytes[0] == 512);
  REQUIRE(trace.text(trace.api_calls.name[0]) == "cudaLaunchKernel_v7000");
  REQUIRE(trace.diagnostics.empty());
}

TEST_CASE("processes and threads without an event in the trace are left out of a foreign file") {
  const Trace trace = read(SqlFile(kOldExport));
  REQUIRE(trace.processes.size() == 1);
  REQUIRE(trace.processes[0].name == "python");
  REQUIRE(trace.threads.size() == 1);
  REQUIRE(trace.threads[0].name == "worker");
}

TEST_CASE("a table that is absent is not captured, one that is empty is") {
  REQUIRE(read(SqlFile("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)")).captured.none());
  const std::pair<Table, std::string> tables[] = {
      {Table::kernels, "CUPTI_ACTIVITY_KIND_KERNEL"},
      {Table::copies, "CUPTI_ACTIVITY_KIND_MEMCPY"},
      {Table::fills, "CUPTI_ACTIVITY_KIND_MEMSET"},
      {Table::synchronizations, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"},
      {Table::cuda_events, "CUPTI_ACTIVITY_KIND_CUDA_EVENT"},
      {Table::graph_launches, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"},
      {Table::api_calls, "CUPTI_ACTIVITY_KIND_RUNTIME"},
      {Table::overheads, "CUPTI_ACTIVITY_KIND_OVERHEAD"},
      {Table::overheads, "PROFILER_OVERHEAD"},
      {Table::nvtx, "NVTX_EVENTS"},
      {Table::gpus, "TARGET_INFO_GPU"},
      {Table::links, "GPUTRACE_LINK"},
      {Table::op_placements, "GPUTRACE_OP_PLACEMENT"}};
  for (const auto& [table, name] : tables) {
    INFO(name);
    const Trace trace =
        read(SqlFile("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE " + name +
                     "(start INTEGER)"));
    REQUIRE(trace.has(table));
    REQUIRE(trace.captured.count() == 1);
  }
}

// A kernel table with the fewest columns; each test fills it with what it is about.
std::string kernels_with(std::string_view rows) {
  return "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'k');"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, streamId "
         "INTEGER,"
         "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, gridX INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES" +
         std::string(rows);
}

TEST_CASE("columns that are absent have their value for not captured") {
  const Trace trace = read(SqlFile(kernels_with("(10,20,0,7,1,16777216,1,5)")));
  REQUIRE(trace.kernels.size() == 1);
  REQUIRE(trace.kernels.registers_per_thread[0] == 0);
  REQUIRE(trace.kernels.short_name[0] == StringId{});
  REQUIRE(trace.kernels.grid[0] == Dim3{5, 1, 1});
  REQUIRE(trace.kernels.graph_node[0] == 0);
  REQUIRE(trace.diagnostics.empty());
}

TEST_CASE("a kernel that starts at 0 is kept, one with both times 0 was not timed") {
  const Trace trace = read(SqlFile(kernels_with("(0,20,0,7,1,16777216,1,5),(0,0,0,7,1,16777216,1,5)")));
  REQUIRE(trace.kernels.size() == 1);
  REQUIRE(total(trace, "time was not collected") == 1);
}

TEST_CASE("a row that ends where it starts is kept, one that ends before is counted") {
  const Trace trace = read(SqlFile(kernels_with("(20,20,0,7,1,16777216,1,5),(20,19,0,7,1,16777216,1,5)")));
  REQUIRE(trace.kernels.size() == 1);
  REQUIRE(total(trace, "kernel rows that end before they start") == 1);
}

TEST_CASE("rows that cannot be placed are counted and left out") {
  const auto left_out = [](std::string_view row, std::string_view why) {
    const Trace trace = read(SqlFile(kernels_with(std::string(row) + ",(10,20,0,7,1,16777216,1,5)")));
    INFO(why);
    REQUIRE(trace.kernels.size() == 1);
    REQUIRE(trace.kernels.stream.size() == 1);
    REQUIRE(total(trace, why) >= 1);
  };
  left_out("(NULL,20,0,7,1,16777216,1,5)", "without a start or an end");
  left_out("(10,NULL,0,7,1,16777216,1,5)", "without a start or an end");
  left_out("('ten',20,0,7,1,16777216,1,5)", "a value of the wrong type");
  left_out("(10,x'00ff',0,7,1,16777216,1,5)", "a value of the wrong type");
  left_out("(10,9223372036854775808,0,7,1,16777216,1,5)",
           "a value of the wrong type");  // 2^63 becomes a real
  left_out("(10,9223372036854775807,0,7,1,16777216,1,5)", "146 years");
  left_out("(-9223372036854775808,10,0,7,1,16777216,1,5)", "146 years");
  left_out("(10,4611686018427387904,0,7,1,16777216,1,5)", "146 years");
  left_out("(10,20,NULL,7,1,16777216,1,5)", "without a device");
  left_out("(10,20,'gpu',7,1,16777216,1,5)", "without a device");
  left_out("(10,20,-1,7,1,16777216,1,5)", "without a device");
  left_out("(10,20,4294967296,7,1,16777216,1,5)", "without a device");
}

TEST_CASE("the last time within reach is kept") {
  const Trace trace = read(SqlFile(kernels_with("(10,4611686018427387903,0,7,1,16777216,1,5)")));
  REQUIRE(trace.kernels.end_ns.at(0) == 4611686018427387903);
}

TEST_CASE("values that are not usable are counted, and their row stays") {
  const auto kept = [](std::string_view row, std::string_view why) {
    const Trace trace = read(SqlFile(kernels_with(row)));
    INFO(why);
    REQUIRE(trace.kernels.size() == 1);
    REQUIRE(total(trace, why) == 1);
    return trace.text(trace.kernels.name[0]).empty() ? std::string() : std::string("named");
  };
  REQUIRE(kept("(10,20,0,'seven',1,16777216,1,5)", "a value of the wrong type") == "named");
  REQUIRE(kept("(10,20,0,7,1,16777216,1,2147483648)", "a number out of range") == "named");
  REQUIRE(kept("(10,20,0,7,1,16777216,2,5)", "whose name is not among") == "");
  REQUIRE(kept("(10,20,0,7,1,16777216,-1,5)", "whose name is not among") == "");
  REQUIRE(kept("(10,20,0,7,1,16777216,9223372036854775807,5)", "whose name is not among") == "");
}

TEST_CASE("ids of strings may be any int64, and the first of two with one id is kept") {
  const Trace trace = read(SqlFile(R"(
    CREATE TABLE StringIds(id INTEGER, value TEXT);
    INSERT INTO StringIds VALUES(9223372036854775807,'far'),(-5,'negative'),(4194304,'beyond dense'),(4194303,'dense'),(7,'first'),(7,'second');
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, nameId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,2,9223372036854775807),(2,3,-5),(3,4,4194304),(4,5,4194303),(5,6,7);)"));
  std::vector<std::string> names;
  for (const StringId id : trace.api_calls.name) names.emplace_back(trace.text(id));
  REQUIRE(names == std::vector<std::string>{"far", "negative", "beyond dense", "dense", "first"});
  REQUIRE(total(trace, "string rows with an id seen before") == 1);
}

TEST_CASE("a string of 1 MiB is whole, a longer one is cut and counted") {
  const Trace trace = read(SqlFile(R"(
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES(1,printf('%.*c',1048576,'x')),(2,printf('%.*c',1048577,'y'));
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, nameId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,2,1),(2,3,2);)"));
  REQUIRE(trace.text(trace.api_calls.name[0]).size() == 1048576);
  REQUIRE(trace.text(trace.api_calls.name[1]).size() == 1048576);
  REQUIRE(total(trace, "1 MiB") == 1);
}

TEST_CASE("device rows without a process take that of the API call with their correlation id") {
  const Trace trace = read(SqlFile(R"(
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,2,16777217001,1,NULL),(2,3,33554433001,2,NULL),
      (3,4,16777217001,3,NULL),(4,5,33554433001,3,NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, correlationId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10,11,0,1),(20,21,0,2),(30,31,0,3),(40,41,0,4),(50,51,0,NULL);)"));
  std::vector<std::int64_t> pids;
  for (const ProcessIndex process : trace.kernels.process) {
    pids.push_back(process.value < 0 ? -1 : trace.processes[static_cast<std::size_t>(process.value)].pid);
  }
  REQUIRE(pids == std::vector<std::int64_t>{1000, 2000, -1, -1, -1});  // the third is launched by both
  REQUIRE(total(trace, "device rows of an unknown process") == 3);
}

TEST_CASE("copies: unified memory and peers are read, unknown kinds are counted") {
  const Trace trace = read(SqlFile(R"(
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, bytes INTEGER, copyKind INTEGER,
      srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, dstDeviceId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1,2,0,8,11,0,2,NULL,NULL),(2,3,0,8,12,7,0,NULL,NULL),
      (3,4,0,8,10,2,2,0,1),(4,5,0,8,14,8,-1,NULL,NULL),(5,6,0,8,NULL,NULL,NULL,NULL,NULL);)"));
  const Copies& copies = trace.copies;
  REQUIRE(copies.kind == std::vector<CopyKind>{CopyKind::unified_host_to_device,
                                               CopyKind::unified_device_to_host, CopyKind::peer_to_peer,
                                               CopyKind::unknown, CopyKind::unknown});
  REQUIRE(copies.source_memory == std::vector<MemoryKind>{MemoryKind::pageable, MemoryKind::unknown,
                                                          MemoryKind::device, MemoryKind::unknown,
                                                          MemoryKind::unknown});
  REQUIRE(copies.destination_device[2] == DeviceId{1});
  REQUIRE(copies.source_device[2] == DeviceId{0});
  REQUIRE(total(trace, "copy rows of an unknown kind") == 3);  // 14, and both memories of that row
}

TEST_CASE("CUPTI's invalid ids mean the whole context and no event") {
  const Trace trace = read(SqlFile(R"(
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
      streamId INTEGER, syncType INTEGER, eventId INTEGER, globalPid INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(1,2,0,1,4294967295,4,4294967295,16777216),(2,3,0,1,7,2,12,16777216);)"));
  REQUIRE(trace.synchronizations.stream == std::vector<StreamId>{StreamId{-1}, StreamId{7}});
  REQUIRE(trace.synchronizations.event == std::vector<std::int64_t>{0, 12});
  REQUIRE(trace.synchronizations.kind ==
          std::vector<SyncKind>{SyncKind::context, SyncKind::stream_wait_event});
  REQUIRE(trace.diagnostics.empty());
}

TEST_CASE("CUDA events have a time stamp from schema 3.25 on, and 0 before") {
  const Trace before = read(SqlFile(R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(deviceId INTEGER, eventId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(0,3);)"));
  REQUIRE(before.cuda_events.start_ns == std::vector<std::int64_t>{0});
  REQUIRE(before.cuda_events.event == std::vector<std::int64_t>{3});
  const Trace after = read(SqlFile(R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(timestamp INTEGER, deviceId INTEGER, eventId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(55,0,3);)"));
  REQUIRE(after.cuda_events.span(0) == Span{55, 55});
}

constexpr char kNvtx[] = R"(
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'registered'),(2,'NCCL'),(3,'loader');
    CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,
      color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
    INSERT INTO NVTX_EVENTS(start,end,eventType,category,text,globalTid,textId,domainId) VALUES)";

TEST_CASE("NVTX names: a text goes before a registered string, domains and categories are named by process") {
  const Trace trace = read(SqlFile(kNvtx + std::string(R"(
    (10,20,59,NULL,'plain',16777217001,NULL,0), (20,30,59,NULL,'text',16777217001,1,0), (30,40,59,NULL,NULL,16777217001,1,5),
    (40,50,60,9,'c',16777217001,NULL,5), (50,60,59,NULL,'other process',33554433001,NULL,5), (60,70,59,9,'d',16777217001,NULL,0),
    (0,NULL,75,NULL,NULL,16777217001,2,5), (0,NULL,33,9,'loss',16777217001,NULL,5), (0,NULL,39,NULL,NULL,16777217001,3,NULL),
    (0,NULL,76,NULL,NULL,16777217001,NULL,5), (0,NULL,75,NULL,'CUB',33554433001,NULL,5))")));
  const NvtxRanges& nvtx = trace.nvtx;
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < nvtx.size(); ++i) {
    seen.push_back(std::string(trace.text(nvtx.text[i])) + "|" + std::string(trace.text(nvtx.domain[i])) +
                   "|" + std::string(trace.text(nvtx.category[i])));
  }
  REQUIRE(seen == std::vector<std::string>{"plain||", "text||", "registered|NCCL|", "c|NCCL|loss",
                                           "other process|CUB|", "d||category 9"});
  REQUIRE(trace.threads.at(0).name == "loader");
  REQUIRE(trace.diagnostics.empty());
}

TEST_CASE("a domain without a name keeps its number, so that domains stay apart") {
  const Trace trace = read(SqlFile(
      kNvtx + std::string("(10,20,59,NULL,'a',16777217001,NULL,3),(10,20,59,NULL,'a',16777217001,NULL,4)")));
  REQUIRE(trace.text(trace.nvtx.domain[0]) == "domain 3");
  REQUIRE(trace.text(trace.nvtx.domain[1]) == "domain 4");
}

TEST_CASE("NVTX: ranges without an end stay and are counted, marks have none, unknown rows are counted") {
  const Trace trace = read(SqlFile(kNvtx + std::string(R"(
    (10,NULL,59,NULL,'open',16777217001,NULL,0), (0,NULL,60,NULL,'open since 0',16777217001,NULL,0), (20,NULL,34,NULL,'mark',16777217001,NULL,0),
    (30,29,59,NULL,'reversed',16777217001,NULL,0), (30,40,59,NULL,NULL,NULL,NULL,NULL), (30,40,1000,NULL,'?',16777217001,NULL,0),
    (30,40,315,NULL,'59 + 256',16777217001,NULL,0), ('x',40,59,NULL,'?',16777217001,NULL,0))")));
  const NvtxRanges& nvtx = trace.nvtx;
  REQUIRE(nvtx.size() == 4);
  REQUIRE(nvtx.start_ns == std::vector<std::int64_t>{0, 10, 20, 30});
  REQUIRE(nvtx.end_ns == std::vector<std::int64_t>{kNoEnd, kNoEnd, 20, 40});
  REQUIRE(nvtx.thread[3] == ThreadIndex{-1});
  REQUIRE(total(trace, "still open") == 2);
  REQUIRE(total(trace, "end before they start") == 1);
  REQUIRE(total(trace, "of a kind that is not read") == 2);
  REQUIRE(total(trace, "wrong type") == 1);
}

TEST_CASE("GPUs: the CUDA number comes from the process's table, and display adapters are left out") {
  const Trace trace = read(SqlFile(R"(
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, totalMemory INTEGER, memoryBandwidth INTEGER,
      clockRate INTEGER, smCount INTEGER, uuid TEXT, cuDevice INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, computeMajor INTEGER);
    INSERT INTO TARGET_INFO_GPU VALUES(1,0,'Intel UHD','0000:00:02.0',0,0,0,0,'',NULL,NULL,NULL,NULL),
      (1,1,'NVIDIA A100','0000:57:00.0',85095874560,2039040000000,1410000000,108,'u1',0,32,64,8),
      (1,2,'NVIDIA A100','0000:58:00.0',85095874560,2039040000000,1410000000,108,'u2',1,32,64,8);
    CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT, numMultiprocessors INTEGER);
    INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(1,1,1000,'u1',108),(2,0,1000,'u2',108),(1,1,1001,'u1',108);)"));
  REQUIRE(trace.gpus.size() == 2);
  REQUIRE(trace.gpus[0].device == DeviceId{1});
  REQUIRE(trace.gpus[1].device == DeviceId{0});
  REQUIRE(trace.gpus[0].memory_bandwidth_bytes_per_s == 2'039'040'000'000);
  REQUIRE(trace.gpus[0].clock_hz == 1'410'000'000);
  REQUIRE(trace.gpus[0].max_threads_per_sm == 2048);
  REQUIRE(total(trace, "GPUs that CUDA cannot use") == 1);
}

TEST_CASE("kernels without a GPU table leave the GPUs not captured") {
  const Trace trace = read(SqlFile(kernels_with("(10,20,0,7,1,16777216,1,5)")));
  REQUIRE(trace.has(Table::kernels));
  REQUIRE_FALSE(trace.has(Table::gpus));
  REQUIRE(trace.gpus.empty());
}

TEST_CASE("errors that the profiler wrote down are passed on, its warnings are not") {
  const Trace trace = read(SqlFile(R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, severity INTEGER, text TEXT);
    INSERT INTO DIAGNOSTIC_EVENT VALUES(1,3,'buffers dropped'),(2,3,'buffers dropped'),(3,2,'no OpenGL'),(4,1,'hello');)"));
  REQUIRE(trace.diagnostics.size() == 1);
  REQUIRE(trace.diagnostics[0].what == "the profiler reported: buffers dropped");
  REQUIRE(trace.diagnostics[0].count == 2);
}

TEST_CASE("a view or a virtual table in a table's place is not run") {
  const Trace view = read(SqlFile(R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start+1 FROM n)
      SELECT start, start+1 AS end, 0 AS deviceId FROM n;)"));
  REQUIRE_FALSE(view.has(Table::kernels));
  const Trace virtual_table = read(SqlFile(R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start, end, eventType);)"));
  REQUIRE_FALSE(virtual_table.has(Table::nvtx));
}

TEST_CASE("a column that is computed is not read") {
  const Trace trace = read(SqlFile(R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, gridX INTEGER AS (length(zeroblob(start))));
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(100,200,0);)"));
  REQUIRE(trace.kernels.grid.at(0) == Dim3{1, 1, 1});
}

TEST_CASE("rowids that promise more rows than the file can hold cost no memory") {
  const Trace trace = read(SqlFile(R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(rowid, start, end, deviceId) VALUES(9223372036854775807,1,2,0);)"));
  REQUIRE(trace.kernels.size() == 1);
  REQUIRE(trace.kernels.start_ns.capacity() < 1'000'000);
}

TEST_CASE("progress rises to 1, and a caller can stop the read") {
  SqlFile file(kernels_with("(10,20,0,7,1,16777216,1,5)"));
  tests::run_sql(file.path(),
                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 100000) "
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i, i+1, 0, 7, i, 16777216, 1, 1 FROM n");
  std::vector<double> shares;
  REQUIRE(read_trace(file.path(),
                     {.progress = [&shares](double share) { return shares.push_back(share), true; }}));
  REQUIRE(shares.size() > 3);
  REQUIRE(std::is_sorted(shares.begin(), shares.end()));
  REQUIRE(shares.back() == 1.0);
  const auto stopped = read_trace(file.path(), {.progress = [](double) { return false; }});
  REQUIRE_FALSE(stopped);
  REQUIRE(stopped.error().what == "interrupted");
}

}  // namespace
}  // namespace gputrace::trace
