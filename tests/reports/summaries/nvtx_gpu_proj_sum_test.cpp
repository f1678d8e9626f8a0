#include <catch2/catch.hpp>

#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::tests;

namespace {

// A call at `call` on a thread and the kernel that it launches.
TraceBuilder& launch(TraceBuilder& builder, std::int64_t call, std::int64_t start, std::int64_t end,
                     int thread = 0) {
  static std::int64_t correlation = 0;
  ++correlation;
  return builder.api({.start = call, .end = call + 1, .correlation = correlation, .thread = thread})
      .kernel({.start = start, .end = end, .correlation = correlation});
}

}  // namespace

TEST_CASE("a range is projected from its first to its last activity on the GPU") {
  TraceBuilder builder;
  builder.range({.start = 0, .end = 100, .text = "forward"})
      .range({.start = 200, .end = 300, .text = "forward"});
  launch(builder, 10, 1000, 1100);
  launch(builder, 100, 1050, 1400);  // the last instant of the range
  launch(builder, 101, 1500, 9000);  // just behind it
  launch(builder, 250, 9000, 9010);
  launch(builder, 50, 0, 20'000, 1);  // of another thread
  const auto table = make_summary("nvtx_gpu_proj_sum", builder.build());
  REQUIRE(table.rows.size() == 1);
  CHECK(cell(table, 0, "Range") == ":forward");
  CHECK(cell(table, 0, "Style") == "PushPop");
  CHECK(cell(table, 0, "Total Proj Time (ns)") == "410");
  CHECK(cell(table, 0, "Total Range Time (ns)") == "200");
  CHECK(cell(table, 0, "Range Instances") == "2");
  CHECK(cell(table, 0, "Proj Max (ns)") == "400");
  CHECK(cell(table, 0, "Total GPU Ops") == "3");
}

TEST_CASE("nested ranges have what the inner ones asked for; ranges without GPU work are left out") {
  TraceBuilder builder;
  builder.range({.start = 0, .end = 100, .text = "outer"}).range({.start = 10, .end = 50, .text = "inner"});
  builder.range({.start = 60, .end = 70, .text = "host only"});
  for (int i = 0; i < 7; ++i) launch(builder, 20 + i, 1000 + 10 * i, 1005 + 10 * i);
  launch(builder, 80, 2000, 2100);
  const auto table = make_summary("nvtx_gpu_proj_sum", builder.build());
  REQUIRE(table.rows.size() == 2);
  CHECK(cell(table, 0, "Range") == ":outer");
  CHECK(cell(table, 0, "Total Proj Time (ns)") == "1100");
  CHECK(cell(table, 0, "Total GPU Ops") == "8");
  CHECK(cell(table, 1, "Total Proj Time (ns)") == "65");
  CHECK(cell(table, 1, "Total GPU Ops") == "7");
}

TEST_CASE("projection needs ranges and calls") {
  CHECK(make_summary("nvtx_gpu_proj_sum", TraceBuilder{}.build()).missing == "no NVTX ranges in the trace");
  CHECK(make_summary("nvtx_gpu_proj_sum", TraceBuilder{}.step(0, 1).build()).missing ==
        "no API calls in the trace");
}
