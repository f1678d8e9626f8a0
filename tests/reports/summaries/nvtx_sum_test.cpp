#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;
using gputrace::trace::kNoEnd;
using gputrace::trace::NvtxKind;

TEST_CASE("ranges are summed by style, domain and text") {
  auto trace = TraceBuilder{}
                     .range({.start = 0, .end = 10, .text = "forward", .domain = "step"})
                     .range({.start = 10, .end = 40, .text = "forward", .domain = "step"})
                     .range({.start = 40, .end = 45, .text = "forward"})
                     .range({.start = 50, .end = 70, .text = "forward", .domain = "step"})
                     .range({.start = 80, .end = kNoEnd, .text = "forward"})
                     .range({.start = 90, .end = 90, .text = "forward"})
                     .build();
  trace.nvtx.kind[3] = NvtxKind::start_end;
  trace.nvtx.kind[5] = NvtxKind::mark;
  const auto table = make_summary("nvtx_sum", trace);
  REQUIRE(table.rows.size() == 3);
  CHECK(cell(table, 0, "Range") == "step:forward");
  CHECK(cell(table, 0, "Style") == "PushPop");
  CHECK(cell(table, 0, "Total Time (ns)") == "40");
  CHECK(cell(table, 1, "Style") == "StartEnd");
  CHECK(cell(table, 1, "Total Time (ns)") == "20");
  CHECK(cell(table, 2, "Range") == ":forward");
  CHECK(cell(table, 2, "Instances") == "1");  // neither the open range nor the mark
}

TEST_CASE("without NVTX there is no table") {
  CHECK(make_summary("nvtx_sum", TraceBuilder{}.build()).missing == "no NVTX ranges in the trace");
}
