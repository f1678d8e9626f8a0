#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::tests;

namespace {

trace::Trace kernels_copies_and_calls() {
  return TraceBuilder{}
      .api({.start = 0, .end = 400, .name = "cudaLaunchKernel_v7000", .correlation = 1})
      .kernel({.start = 100, .end = 400, .name = "sgemm", .correlation = 1})
      .kernel({.start = 500, .end = 600, .name = "sgemm", .grid = {64, 2, 1}, .block = {128, 1, 1}})
      .copy({.start = 600, .end = 1000, .bytes = 10})
      .build();
}

}  // namespace

TEST_CASE("cuda_gpu_sum: kernels and copies side by side, shares of both together and of the wall") {
  const auto table = make_summary("cuda_gpu_sum", kernels_copies_and_calls());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Category") == "CUDA_KERNEL");
  CHECK(cell(table, 0, "Operation") == "sgemm");
  CHECK(cell(table, 0, "Total Time (ns)") == "400");
  CHECK(cell(table, 0, "Time (%)") == "50");
  CHECK(cell(table, 0, "Wall (%)") == "40");
  CHECK(cell(table, 1, "Category") == "MEMORY_OPER");
  CHECK(cell(table, 1, "Operation") == "[CUDA memcpy Host-to-Device]");
  CHECK(make_summary("cuda_gpu_sum", TraceBuilder{}.build()).missing == "no kernels, copies or fills in the trace");
}

TEST_CASE("cuda_api_gpu_sum: calls on the host too") {
  const auto table = make_summary("cuda_api_gpu_sum", kernels_copies_and_calls());
  REQUIRE(table.rows.size() == 3);
  CHECK(cell(table, 0, "Category") == "CUDA_API");
  CHECK(cell(table, 0, "Operation") == "cudaLaunchKernel");
  CHECK(cell(table, 2, "Category") == "MEMORY_OPER");
  CHECK_FALSE(make_summary("cuda_api_gpu_sum", TraceBuilder{}.build()).missing.empty());
}

TEST_CASE("cuda_gpu_kern_gb_sum: one kernel, two shapes of work") {
  const auto table = make_summary("cuda_gpu_kern_gb_sum", kernels_copies_and_calls());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "GridXYZ") == "1 1 1");
  CHECK(cell(table, 0, "BlockXYZ") == "32 1 1");
  CHECK(cell(table, 1, "GridXYZ") == "64 2 1");
  CHECK(cell(table, 1, "BlockXYZ") == "128 1 1");
  CHECK(cell(table, 1, "Name") == "sgemm");
  CHECK(cell(table, 1, "Time (%)") == "25");
}

TEST_CASE("cuda_api_trace: a row per call") {
  const auto table = make_summary("cuda_api_trace", kernels_copies_and_calls());
  REQUIRE(table.rows.size() == 1);
  CHECK(cell(table, 0, "Start (ns)") == "0");
  CHECK(cell(table, 0, "Duration (ns)") == "400");
  CHECK(cell(table, 0, "Name") == "cudaLaunchKernel");
  CHECK(cell(table, 0, "CorrID") == "1");
  CHECK(cell(table, 0, "Pid") == "1000");
  CHECK(cell(table, 0, "Tid") == "1000");
  CHECK(cell(table, 0, "T-Pri") == "");
  CHECK(make_summary("cuda_api_trace", TraceBuilder{}.build()).missing == "no API calls in the trace");
}

TEST_CASE("cuda_kern_exec_trace: a kernel that starts in its call was in no queue") {
  const auto trace = TraceBuilder{}
                         .api({.start = 0, .end = 10, .correlation = 1})
                         .api({.start = 20, .end = 90, .correlation = 2})
                         .kernel({.start = 30, .end = 80, .name = "in call", .correlation = 2})
                         .kernel({.start = 40, .end = 50, .name = "queued", .correlation = 1})
                         .kernel({.start = 60, .end = 70, .name = "of no call"})
                         .build();
  const auto table = make_summary("cuda_kern_exec_trace", trace);
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Kernel Name") == "queued");
  CHECK(cell(table, 0, "Queue Start (ns)") == "10");
  CHECK(cell(table, 0, "Queue Dur (ns)") == "30");
  CHECK(cell(table, 0, "Total Dur (ns)") == "50");
  CHECK(cell(table, 1, "Queue Dur (ns)") == "");
  CHECK(cell(table, 1, "Total Dur (ns)") == "70");  // the call ends last
  CHECK(cell(table, 1, "GridXYZ") == "1 1 1");
}

TEST_CASE("um_total_sum: what migrated, each way; what is not captured stays empty") {
  const auto trace = TraceBuilder{}
                         .copy({.start = 0, .end = 1, .bytes = 2'000'000, .kind = trace::CopyKind::unified_host_to_device})
                         .copy({.start = 1, .end = 2, .bytes = 500'000, .kind = trace::CopyKind::unified_device_to_host})
                         .copy({.start = 2, .end = 3, .bytes = 9})
                         .build();
  const auto table = make_summary("um_total_sum", trace);
  CHECK(cell(table, 0, "Total HtoD Migration Size (MB)") == "2");
  CHECK(cell(table, 0, "Total DtoH Migration Size (MB)") == "0.5");
  CHECK(cell(table, 0, "Total GPU PageFaults") == "");
  CHECK_FALSE(make_summary("um_total_sum", TraceBuilder{}.copy({.start = 0, .end = 1, .bytes = 1}).build()).missing.empty());
}
