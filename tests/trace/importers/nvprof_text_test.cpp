#include <catch2/catch.hpp>

#include "tests/trace/imported.h"
#include "trace/nvprof_columns.h"

namespace gputrace::trace {
namespace {

using namespace tests;

constexpr char kText[] =
    "==77== NVPROF is profiling process 77, command: ./train --gpus 2\n"
    "==77== Profiling application: ./train --gpus 2\n"
    "==77== Profiling result:\n"
    "   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput  SrcMemType  DstMemType           Device   Context    Stream  Name\n"
    "246.87ms  1.2160us                    -               -         -         -         -  1.0000KB  3.1372GB/s    Pageable      Device  GeForce GTX 106         1         7  [CUDA memcpy HtoD]\n"
    "246.90ms  32.000us            (196 2 1)       (256 1 1)        12       32B        0B         -           -           -           -  GeForce GTX 106         1         7  add(int, float*) [109]\n"
    "247.00ms  2.0000us                    -               -         -         -         -        4B  3.1372MB/s      Device           -  GeForce GTX 106         1         7  [CUDA memset]\n"
    "\n"
    "Regs: Number of registers used per CUDA thread. This number includes registers used internally by the CUDA driver.\n"
    "some output of the program\n";

constexpr char kCsv[] =
    "==77== NVPROF is profiling process 77, command: ./train\n"
    "==77== Profiling result:\n"
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\","
    "\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n"
    "ms,us,,,,,,,,KB,B,MB,GB/s,,,,,,,\n"
    "246.870000,1.216000,,,,,,,,,,0.000977,3.1,\"Pinned\",\"Device\",\"Tesla V100 (0)\",\"1\",\"7\",\"[CUDA memcpy PtoP]\",105\n"
    "246.900000,32.000000,196,2,1,256,1,1,12,0.031250,0,,,,,\"Tesla V100 (1)\",\"2\",\"14\",\"_Z3addiPf\",109\n";

TEST_CASE("nvprof's printed GPU trace is read as text") {
  const Trace trace = imported(kText);
  CHECK(trace.metadata.producer == "nvprof");
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.text(trace.kernels.name[0]) == "add(int, float*)");
  CHECK(trace.kernels.span(0) == Span{246'900'000, 246'932'000});
  CHECK(trace.kernels.grid[0] == Dim3{196, 2, 1});
  CHECK(trace.kernels.block[0] == Dim3{256, 1, 1});
  CHECK(trace.kernels.registers_per_thread[0] == 12);
  CHECK(trace.kernels.static_shared_bytes[0] == 32);
  CHECK(trace.kernels.correlation[0].value == 109);
  REQUIRE(trace.copies.size() == 1);
  CHECK(trace.copies.bytes[0] == 1024);
  CHECK(trace.copies.kind[0] == CopyKind::host_to_device);
  CHECK(trace.copies.source_memory[0] == MemoryKind::pageable);
  REQUIRE(trace.fills.size() == 1);
  CHECK(trace.fills.bytes[0] == 4);
  REQUIRE(trace.processes.size() == 1);
  CHECK(trace.processes[0].pid == 77);
  CHECK(trace.processes[0].name == "./train --gpus 2");
  CHECK(counted(trace, "no event of nvprof's") == 1);
}

TEST_CASE("nvprof's printed GPU trace is read as CSV, in the units of its second line") {
  for (const std::string& bytes : {std::string(kCsv), gzip(kCsv)}) {
    const Trace trace = imported(bytes);
    REQUIRE(trace.kernels.size() == 1);
    CHECK(trace.text(trace.kernels.name[0]) == "add(int, float*)");
    CHECK(trace.text(trace.kernels.mangled[0]) == "_Z3addiPf");
    CHECK(trace.kernels.span(0) == Span{246'900'000, 246'932'000});
    CHECK(trace.kernels.device[0].value == 1);
    CHECK(trace.kernels.stream[0].value == 14);
    CHECK(trace.kernels.static_shared_bytes[0] == 32);
    REQUIRE(trace.copies.size() == 1);
    CHECK(trace.copies.kind[0] == CopyKind::peer_to_peer);
    CHECK(trace.copies.bytes[0] == 1024);
    CHECK(trace.gpus.size() == 2);
  }
}

TEST_CASE("nvprof's summary is told from a trace") {
  CHECK(import_error("==1== Profiling result:\n            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
                     " GPU activities:  100.00%  1.2345s      1000  1.2345ms  1.0000ms  2.0000ms  conv(float*)\n") ==
        "a summary of nvprof: sums over the whole run, without the time of any event; print the events: nvprof --print-gpu-trace --csv --log-file OUT.csv PROGRAM");
  CHECK(import_error("\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n").starts_with("a summary of nvprof"));
}

TEST_CASE("nvprof's numbers have units, and what has none is no number") {
  CHECK(nvprof_time_ns("1.2160us") == 1216);
  CHECK(nvprof_time_ns("3s") == 3'000'000'000);
  CHECK_FALSE(nvprof_time_ns("3"));
  CHECK_FALSE(nvprof_time_ns("nanms"));
  CHECK_FALSE(nvprof_time_ns("1e300s"));
  CHECK(nvprof_size_bytes("38.147MB") == 40'000'029);  // as exact as the digits printed
  CHECK_FALSE(nvprof_size_bytes("-"));
}

}  // namespace
}  // namespace gputrace::trace
