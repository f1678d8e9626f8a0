#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;
using gputrace::trace::Table;

TEST_CASE("a kernel's way from the call to its end: call, queue, GPU") {
  const auto table =
      make_summary("cuda_kern_exec_sum",
                   TraceBuilder{}
                       .api({.start = 0, .end = 10, .name = "cudaLaunchKernel_v7000", .correlation = 1})
                       .kernel({.start = 30, .end = 70, .name = "k", .correlation = 1})
                       .api({.start = 100, .end = 120, .name = "cudaLaunchKernel_v7000", .correlation = 2})
                       .kernel({.start = 110, .end = 150, .name = "k", .correlation = 2})
                       .build());
  REQUIRE(table.rows.size() == 1);
  CHECK(cell(table, 0, "API Name") == "cudaLaunchKernel");
  CHECK(cell(table, 0, "Kernel Name") == "k");
  CHECK(cell(table, 0, "PID") == "1000");
  CHECK(cell(table, 0, "Count") == "2");
  CHECK(cell(table, 0, "QCount") == "1");  // the second began during its call
  CHECK(cell(table, 0, "TAvg (ns)") == "60");
  CHECK(cell(table, 0, "AAvg (ns)") == "15");
  CHECK(cell(table, 0, "QAvg (ns)") == "20");
  CHECK(cell(table, 0, "KAvg (ns)") == "40");
}

TEST_CASE(
    "the end of the call counts where the kernel ends before it; a kernel that starts with the end did not "
    "queue") {
  const auto table = make_summary("cuda_kern_exec_sum",
                                  TraceBuilder{}
                                      .api({.start = 0, .end = 100, .correlation = 1})
                                      .kernel({.start = 10, .end = 20, .name = "a", .correlation = 1})
                                      .api({.start = 200, .end = 210, .correlation = 2})
                                      .kernel({.start = 210, .end = 215, .name = "b", .correlation = 2})
                                      .build());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Kernel Name") == "a");
  CHECK(cell(table, 0, "TAvg (ns)") == "100");
  CHECK(cell(table, 1, "QCount") == "0");
  CHECK(std::holds_alternative<std::monostate>(table.rows[1][15]));
}

TEST_CASE("kernels whose call was not captured are left out; without the tables there is none") {
  const auto trace =
      TraceBuilder{}.kernel({.start = 0, .end = 1, .correlation = 4}).captured(Table::api_calls).build();
  CHECK(make_summary("cuda_kern_exec_sum", trace).rows.empty());
  CHECK(make_summary("cuda_kern_exec_sum", TraceBuilder{}.kernel({.start = 0, .end = 1}).build()).missing ==
        "no API calls in the trace");
  CHECK(make_summary("cuda_kern_exec_sum", TraceBuilder{}.build()).missing == "no kernels in the trace");
}
