#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;

TEST_CASE("versions of one API function are one row, and only a version is cut off") {
  const auto table = make_summary("cuda_api_sum", TraceBuilder{}
                                                      .api({.start = 0, .end = 5, .name = "cudaLaunchKernel_v7000"})
                                                      .api({.start = 5, .end = 10, .name = "cudaLaunchKernel_v9010"})
                                                      .api({.start = 10, .end = 13, .name = "my_api_voxel"})
                                                      .api({.start = 13, .end = 14, .name = "_v1234"})
                                                      .build());
  REQUIRE(table.rows.size() == 3);
  CHECK(cell(table, 0, "Name") == "cudaLaunchKernel");
  CHECK(cell(table, 0, "Num Calls") == "2");
  CHECK(cell(table, 1, "Name") == "my_api_voxel");
  CHECK(cell(table, 2, "Name") == "_v1234");
  CHECK(make_summary("cuda_api_sum", TraceBuilder{}.build()).missing == "no API calls in the trace");
}
