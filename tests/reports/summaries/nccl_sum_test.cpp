#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;

TEST_CASE("collectives are summed by operation, whatever their kernels are called") {
  const auto table = make_summary(
      "nccl_sum",
      TraceBuilder{}
          .kernel({.start = 0,
                   .end = 10,
                   .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"})
          .kernel({.start = 10, .end = 30, .name = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)"})
          .kernel(
              {.start = 30, .end = 40, .name = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"})
          .kernel({.start = 40, .end = 90, .name = "sgemm"})
          .build());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Total Time (ns)") == "30");
  CHECK(cell(table, 0, "Instances") == "2");
  CHECK(cell(table, 0, "Time (%)") == "75");
  CHECK(cell(table, 1, "Total Time (ns)") == "10");
}

TEST_CASE("without collectives there is no table") {
  CHECK(make_summary("nccl_sum", TraceBuilder{}.kernel({.start = 0, .end = 1, .name = "sgemm"}).build())
            .missing == "no kernels of NCCL in the trace");
  CHECK(make_summary("nccl_sum", TraceBuilder{}.build()).missing == "no kernels in the trace");
}

TEST_CASE("a kernel that the user calls communication is a collective under its label") {
  const auto trace = TraceBuilder{}.kernel({.start = 0, .end = 7, .name = "frobnicate"}).build();
  CHECK_FALSE(make_summary("nccl_sum", trace).missing.empty());
  const auto table = make_summary("nccl_sum", trace, {{"frob*", "our exchange", "communication"}});
  REQUIRE(table.rows.size() == 1);
  CHECK(cell(table, 0, "Operation") == "our exchange");
  CHECK(cell(table, 0, "Total Time (ns)") == "7");
}
