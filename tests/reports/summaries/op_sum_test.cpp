#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;

TEST_CASE("only ranges of the domain op are ops") {
  const auto table = make_summary("op_sum", TraceBuilder{}
                                                .range({.start = 0, .end = 10, .text = "matmul", .domain = "op"})
                                                .range({.start = 10, .end = 30, .text = "matmul", .domain = "op"})
                                                .range({.start = 0, .end = 99, .text = "matmul", .domain = "ops"})
                                                .build());
  REQUIRE(table.rows.size() == 1);
  CHECK(cell(table, 0, "Op") == "matmul");
  CHECK(cell(table, 0, "Total Time (ns)") == "30");
}

TEST_CASE("without ops there is no table") {
  const auto trace = TraceBuilder{}.step(0, 10).build();
  CHECK(make_summary("op_sum", trace).missing == "no NVTX ranges of the domain \"op\" in the trace");
}
