// What is odd in traces that people have, each in the smallest file that shows it: the right result, or one clear line. What is left
// out is counted. Oddities that only an analysis can get wrong are in tests/analyzer/odd_traces_test.cpp.
#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/trace/imported.h"
#include "tests/trace/sqlite_fixture.h"
#include "trace/merge_traces.h"
#include "trace/trace_reader.h"

namespace gputrace::trace {
namespace {

using namespace tests;

Trace read(const SqlFile& file) {
  auto trace = read_trace(file.path());
  if (!trace) FAIL(trace.error().line());
  return std::move(*trace);
}

constexpr char kNsysHead[] = "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'conv'),(2,'cudaLaunchKernel_v7000');";

Trace nsys(const std::string& sql) { return read(SqlFile(kNsysHead + sql)); }

std::string nsys_kernels(const std::string& rows) {
  return "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
         "globalPid INTEGER, demangledName INTEGER, shortName INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES" +
         rows + ";";
}

Trace kineto(const std::string& events, const std::string& fields = "") {
  return imported("{\"schemaVersion\": 1, " + fields + "\"traceEvents\": [" + events + "]}");
}

constexpr char kKernelEvent[] = R"({"ph":"X","cat":"kernel","name":"conv","pid":0,"tid":7,"ts":100,"dur":50,"args":{"device":0,"stream":7,"correlation":9}})";

TEST_CASE("oddity: memory kind 1 is pageable in nvprof's files, pinned in Nsight Systems'") {
  const Trace nvprof = read(SqlFile(
      "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT); CREATE TABLE Version(version INT); INSERT INTO Version VALUES(22);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind INT, flags INT, bytes INT, start INT, end INT,"
      "deviceId INT, contextId INT, streamId INT, correlationId INT, runtimeCorrelationId INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1,1,1,3,0,64,10,20,0,1,7,5,0),(2,1,2,3,0,64,30,40,0,1,7,6,0);"));
  CHECK(nvprof.copies.source_memory == std::vector<MemoryKind>{MemoryKind::pageable, MemoryKind::pinned});
  const Trace export_of_nsys = nsys(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(10,20,0,64,1,1,2),(30,40,0,64,1,0,2);");
  CHECK(export_of_nsys.copies.source_memory == std::vector<MemoryKind>{MemoryKind::pinned, MemoryKind::pageable});
  CHECK(nvprof.copies.destination_memory == export_of_nsys.copies.destination_memory);
}

TEST_CASE("oddity: kernels whose start and end are 0 were not timed: left out and counted, and the axis does not begin there") {
  const Trace trace = nsys(nsys_kernels("(0,0,0,1,7,1,16777216000,1,1),(0,0,0,1,7,2,16777216000,1,1),(5000,6000,0,1,7,3,16777216000,1,1)"));
  CHECK(trace.kernels.size() == 1);
  CHECK(trace.span() == Span{5000, 6000});
  CHECK(counted(trace, "kernel rows whose time was not collected") == 2);
}

TEST_CASE("oddity: a kernel without a launch row stays, with its correlation; none is made up for it") {
  const Trace trace = nsys(nsys_kernels("(10,20,0,1,7,1,16777216000,1,1),(30,40,0,1,7,77,16777216000,1,1)") +
                           "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,2,16777217001,1,2);");
  CHECK(trace.kernels.correlation == std::vector<CorrelationId>{CorrelationId{1}, CorrelationId{77}});
  CHECK(trace.api_calls.size() == 1);
  CHECK(trace.kernels.process == std::vector<ProcessIndex>{ProcessIndex{0}, ProcessIndex{0}});
}

TEST_CASE("oddity: NVTX ranges without an end and without a text are kept, the first are counted") {
  const Trace trace = nsys(
      "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES(10,NULL,59,'epoch',16777217001,NULL,0),(20,30,59,NULL,16777217001,NULL,0),(40,50,59,'step',16777217001,NULL,0);");
  REQUIRE(trace.nvtx.size() == 3);
  CHECK(trace.nvtx.end_ns == std::vector<std::int64_t>{kNoEnd, 30, 50});
  CHECK(trace.text(trace.nvtx.text[1]).empty());
  CHECK(counted(trace, "still open at the end of the trace") == 1);
  CHECK(trace.span() == Span{10, 50});
}

TEST_CASE("oddity: a GPU that is listed and not used is listed; one that CUDA cannot use is left out and counted") {
  const Trace trace = nsys(nsys_kernels("(10,20,0,1,7,1,16777216000,1,1)") +
                           "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER, name TEXT, cuDevice INTEGER, smCount INTEGER, uuid TEXT);"
                           "INSERT INTO TARGET_INFO_GPU VALUES(1,0,'Matrox G200eW3',NULL,0,''),(1,1,'NVIDIA A100',0,108,'u1'),(1,2,'NVIDIA A100',1,108,'u2');");
  REQUIRE(trace.gpus.size() == 2);
  CHECK(trace.gpus[0].name == "NVIDIA A100");
  CHECK(trace.gpus[1].device == DeviceId{1});
  CHECK(std::count(trace.kernels.device.begin(), trace.kernels.device.end(), DeviceId{1}) == 0);
  CHECK(counted(trace, "GPUs that CUDA cannot use") == 1);
}

TEST_CASE("oddity: without TARGET_INFO_GPU the GPUs are not captured, and their kernels are") {
  const Trace trace = nsys(nsys_kernels("(10,20,0,1,7,1,16777216000,1,1),(10,20,3,1,7,1,16777216000,1,1)"));
  CHECK_FALSE(trace.has(Table::gpus));
  CHECK(trace.gpus.empty());
  CHECK(trace.kernels.device == std::vector<DeviceId>{DeviceId{0}, DeviceId{3}});
}

TEST_CASE("oddity: no kernels at all: a host's profile has no table of kernels, a GPU's idle one has an empty table") {
  CHECK_FALSE(kineto(R"({"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":2})").has(Table::kernels));
  const Trace idle = nsys("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER);");
  CHECK(idle.has(Table::kernels));
  CHECK(idle.kernels.size() == 0);
}

TEST_CASE("oddity: copies of unified memory are kinds of their own, never plain copies") {
  const Trace trace = nsys(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(10,20,0,4096,11,4,4),(30,40,0,8192,12,4,4),(50,60,0,64,1,0,2);");
  CHECK(trace.copies.kind == std::vector<CopyKind>{CopyKind::unified_host_to_device, CopyKind::unified_device_to_host, CopyKind::host_to_device});
  CHECK(counted(trace, "of an unknown kind") == 0);
}

TEST_CASE("oddity: Kineto's event \"Trace\", as long as the profiler was on, is no range and does not stretch the span") {
  const Trace trace = kineto(std::string(kKernelEvent) +
                             R"j(,{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":1,"dur":99000000})j");
  CHECK(trace.span() == Span{100'000, 150'000});
  CHECK(trace.nvtx.size() == 0);
}

TEST_CASE("oddity: 64-bit ids and times beyond a double's 53 bits are kept to the last digit") {
  const Trace trace = kineto(
      R"({"ph":"X","cat":"kernel","name":"conv","pid":0,"tid":7,"ts":1694128201545123.457,"dur":50,"args":{"device":0,"stream":7,"correlation":9007199254740993}})");
  CHECK(trace.kernels.correlation.at(0) == CorrelationId{9'007'199'254'740'993});
  CHECK(trace.kernels.start_ns.at(0) == 1'694'128'201'545'123'457);
  const Trace from_sql = nsys(nsys_kernels("(10,20,0,1,7,9223372036854775807,16777216000,1,1)"));
  CHECK(from_sql.kernels.correlation.at(0) == CorrelationId{INT64_MAX});
}

// A rank's file: a kernel, and two all-reduces that end at 200 and 400 us of its own clock.
Trace rank_file(int rank, std::int64_t clock_us) {
  std::string events;
  for (const int step : {0, 1}) {
    const auto at = [&](int us) { return std::to_string(clock_us + step * 200 + us); };
    events += std::string(step == 0 ? "" : ",") + R"({"ph":"X","cat":"kernel","name":"conv","pid":0,"tid":7,"ts":)" + at(10) + R"(,"dur":50,"args":{"device":0,"stream":7}},)" +
              R"j({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)","pid":0,"tid":8,"ts":)j" + at(100) +
              R"(,"dur":100,"args":{"device":0,"stream":8}})";
  }
  return kineto(events, "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(rank) + ", \"world_size\": 2}, ");
}

TEST_CASE("oddity: two files of one run whose clocks differ by seconds are one run, of two GPUs") {
  std::vector<Trace> ranks;
  ranks.push_back(rank_file(0, 1'000));
  ranks.push_back(rank_file(1, 8'000'000));
  const Trace whole = merge_traces(std::move(ranks));
  CHECK(whole.processes.size() == 2);
  CHECK(whole.span().duration_ns() == 390'000);
  CHECK(whole.clock_residual_ns() == 0);
  CHECK(whole.kernels.device.front() != whole.kernels.device.at(1));
}

TEST_CASE("oddity: kernels hidden inside a CUDA graph are one span of graph launch, not nothing") {
  const Trace trace = nsys(nsys_kernels("(10,20,0,1,7,1,16777216000,1,1)") +
                           "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
                           "correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(30,90,0,1,7,2,16777216000,4,5);");
  REQUIRE(trace.graph_launches.size() == 1);
  CHECK(trace.graph_launches.span(0) == Span{30, 90});
  CHECK(trace.kernels.size() == 1);
  CHECK(trace.span() == Span{10, 90});
}

TEST_CASE("oddity: a file that is cut off in the middle gives what it has and says so, or says what to do") {
  const std::string json = "{\"traceEvents\": [" + std::string(kKernelEvent) + ", {\"ph\":\"X\",\"cat\":\"kernel\",\"na";
  for (const std::string& bytes : {json, gzip(json)}) {
    const Trace trace = imported(bytes);
    CHECK(trace.kernels.size() == 1);
    CHECK_FALSE(trace.metadata.complete);
    CHECK(trace.metadata.incomplete_why == "the file ends in the middle");
  }
  const std::string packed = gzip(json);
  CHECK_FALSE(imported(packed.substr(0, packed.size() - 9)).metadata.complete);

  const SqlFile whole(kNsysHead + nsys_kernels("(10,20,0,1,7,1,16777216000,1,1)"));
  const std::string bytes = file_bytes(whole.path());
  CHECK(import_error(bytes.substr(0, bytes.size() / 2)) ==
        "cut off: " + std::to_string(bytes.size() / 2) + " of at least " + std::to_string(bytes.size()) +
            " bytes of a SQLite file are there; copy it again, or export it again");
}

TEST_CASE("oddity: another schema, XML or binary under a trace's name is one line that says what it is") {
  const SqlFile other("CREATE TABLE users(id INTEGER, name TEXT); CREATE TABLE posts(id INTEGER);");
  CHECK(import_error(file_bytes(other.path()), "trace.sqlite").starts_with("a SQLite file, but not a trace (2 tables: "));
  CHECK(import_error("<?xml version=\"1.0\"?><profile/>", "trace.nvvp").starts_with("not a trace: XML; "));
  CHECK(import_error(std::string("\x7f" "ELF\x02\x01\x01\0\0\0\0", 11), "trace.sqlite").starts_with("not a trace: a program; "));
  CHECK(import_error(std::string(200, '\xf3'), "trace.json").starts_with("not a trace: a file of no known format; "));
  CHECK(import_error("{\"answer\": 42}", "trace.json").starts_with("not a trace: JSON of another kind; "));
  CHECK(import_error(gzip("<html></html>"), "trace.json.gz").starts_with("not a trace: gzip, holding HTML; "));
}

TEST_CASE("oddity: a folder of Parquet or Arrow tables leads to the export that can be read") {
  const char* const next_step = "; export the report as SQLite: nsys export --type sqlite --output OUT.sqlite REPORT.nsys-rep";
  CHECK(import_error("PAR1\x15\x04") == std::string("not a trace that gputrace reads: a Parquet table") + next_step);
  const TemporaryFolder folder;
  write_file(folder.path() / "CUPTI_ACTIVITY_KIND_KERNEL.arrow", std::string_view("ARROW1\0\0", 8));
  const auto files = traces_in_folder(folder.path());
  REQUIRE_FALSE(files);
  CHECK(files.error().line() == (folder.path() / "CUPTI_ACTIVITY_KIND_KERNEL.arrow").string() + ": not a trace that gputrace reads: an Arrow table" + next_step);
}

}  // namespace
}  // namespace gputrace::trace
