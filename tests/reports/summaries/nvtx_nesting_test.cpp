#include <catch2/catch.hpp>

#include "reports/nvtx_nesting.h"
#include "tests/reports/summary_samples.h"
#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::tests;

namespace {

// outer [0, 100] holds first [10, 40], which holds leaf [20, 30], and second [50, 90]; another thread has its own.
TraceBuilder nested() {
  TraceBuilder builder;
  builder.range({.start = 0, .end = 100, .text = "outer"})
      .range({.start = 10, .end = 40, .text = "first"})
      .range({.start = 20, .end = 30, .text = "leaf"})
      .range({.start = 50, .end = 90, .text = "second"})
      .range({.start = 60, .end = 70, .text = "other thread", .thread = 1});
  return builder;
}

}  // namespace

TEST_CASE("nesting: level, parent and children of push/pop ranges") {
  const auto nesting = reports::nvtx_nesting(nested().build());
  CHECK(nesting[0].level == 0);
  CHECK(nesting[0].children == 2);
  CHECK(nesting[0].children_ns == 70);
  CHECK(nesting[1].parent == 0);
  CHECK(nesting[2].level == 2);
  CHECK(nesting[2].parent == 1);
  CHECK(nesting[3].parent == 0);
  CHECK(nesting[4].level == 0);  // of another thread
  CHECK(reports::range_stack(nesting, 2) == ":1:2:3");
}

TEST_CASE("nesting: domains have stacks of their own, and of equal starts the longer range is outside") {
  TraceBuilder builder;
  builder.range({.start = 0, .end = 10, .text = "inner"})
      .range({.start = 0, .end = 50, .text = "outer"})
      .range({.start = 5, .end = 9, .text = "elsewhere", .domain = "lib"});
  const auto nesting = reports::nvtx_nesting(builder.build());
  CHECK(nesting[0].parent == 1);
  CHECK(nesting[1].parent == -1);
  CHECK(nesting[2].parent == -1);
}

TEST_CASE("nesting: ranges one after the other are no parents of each other") {
  TraceBuilder builder;
  builder.range({.start = 0, .end = 10, .text = "a"}).range({.start = 10, .end = 20, .text = "b"});
  const auto nesting = reports::nvtx_nesting(builder.build());
  CHECK(nesting[1].parent == -1);
  CHECK(nesting[0].children == 0);
}

TEST_CASE("nvtx_pushpop_trace: every range with its place in the stack") {
  const auto table = make_summary("nvtx_pushpop_trace", nested().build());
  REQUIRE(table.rows.size() == 5);
  CHECK(cell(table, 0, "Name") == ":outer");
  CHECK(cell(table, 0, "DurChild (ns)") == "70");
  CHECK(cell(table, 0, "DurNonChild (ns)") == "30");
  CHECK(cell(table, 0, "ParentId") == "");
  CHECK(cell(table, 2, "NameTree") == "----:leaf");
  CHECK(cell(table, 2, "RangeStack") == ":1:2:3");
  CHECK(cell(table, 2, "ParentId") == "2");
}

TEST_CASE("nvtx_pushpop_sum and nvtx_startend_sum split what nvtx_sum shows of both styles") {
  auto trace = nested().build();
  trace.nvtx.kind[3] = trace::NvtxKind::start_end;
  CHECK(make_summary("nvtx_sum", trace).rows.size() == 5);
  const auto pushed = make_summary("nvtx_pushpop_sum", trace), started = make_summary("nvtx_startend_sum", trace);
  CHECK(pushed.rows.size() == 4);
  CHECK(cell(pushed, 0, "Range") == ":outer");
  CHECK(cell(pushed, 0, "Wall (%)") == "100");
  REQUIRE(started.rows.size() == 1);
  CHECK(cell(started, 0, "Range") == ":second");
  CHECK(cell(started, 0, "Time (%)") == "100");
}

TEST_CASE("nvtx_gpu_proj_trace: ranges that asked the GPU for something, with their stack") {
  auto builder = nested();
  builder.api({.start = 25, .end = 26, .correlation = 1}).kernel({.start = 1000, .end = 1010, .correlation = 1});
  const auto table = make_summary("nvtx_gpu_proj_trace", builder.build());
  REQUIRE(table.rows.size() == 3);
  CHECK(cell(table, 0, "Name") == ":outer");
  CHECK(cell(table, 0, "Projected Start (ns)") == "1000");
  CHECK(cell(table, 0, "Projected Duration (ns)") == "10");
  CHECK(cell(table, 0, "NumChild") == "2");
  CHECK(cell(table, 2, "Name") == ":leaf");
  CHECK(cell(table, 2, "Lvl") == "2");
  CHECK(cell(table, 2, "NumGPUOps") == "1");
  CHECK(cell(table, 2, "RangeStack") == ":1:2:3");
}

TEST_CASE("nvtx_kern_sum: a kernel counts for each range around its call") {
  auto builder = nested();
  builder.api({.start = 25, .end = 26, .correlation = 1}).kernel({.start = 1000, .end = 1010, .name = "sgemm", .correlation = 1});
  builder.api({.start = 60, .end = 61, .correlation = 2}).kernel({.start = 2000, .end = 2030, .name = "sgemm", .correlation = 2});
  builder.api({.start = 101, .end = 102, .correlation = 3}).kernel({.start = 3000, .end = 3100, .name = "sgemm", .correlation = 3});
  const auto table = make_summary("nvtx_kern_sum", builder.build());
  REQUIRE(table.rows.size() == 4);
  CHECK(cell(table, 0, "NVTX Range") == ":outer");
  CHECK(cell(table, 0, "Kern Inst") == "2");
  CHECK(cell(table, 0, "NVTX Inst") == "1");
  CHECK(cell(table, 0, "Total Time (ns)") == "40");
  CHECK(cell(table, 1, "NVTX Range") == ":second");
  CHECK(cell(table, 2, "NVTX Range") == ":first");
  CHECK(cell(table, 3, "Kernel Name") == "sgemm");
  CHECK(make_summary("nvtx_kern_sum", TraceBuilder{}.build()).missing == "no NVTX ranges in the trace");
}

TEST_CASE("nvtx_gpu_proj_sum: averages of level and of children") {
  auto builder = nested();
  builder.api({.start = 25, .end = 26, .correlation = 1}).kernel({.start = 1000, .end = 1010, .correlation = 1});
  const auto table = make_summary("nvtx_gpu_proj_sum", builder.build());
  REQUIRE(table.rows.size() == 3);
  for (std::size_t row = 0; row < 3; ++row) {
    if (cell(table, row, "Range") == ":leaf") CHECK(cell(table, row, "Avg Range Lvl") == "2");
    if (cell(table, row, "Range") == ":outer") CHECK(cell(table, row, "Avg Num Child") == "2");
  }
}
