#include "gui/timeline.h"

#include <catch2/catch.hpp>

#include "gui/lane_builder.h"
#include "gui/time_math.h"
#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

Timeline timeline_of(const trace::Trace& trace) { return build_timeline(trace, KernelNames{trace}); }

std::vector<std::string> labels(const Timeline& timeline) {
  std::vector<std::string> all;
  for (const Lane& lane : timeline.lanes)
    all.push_back(std::string(static_cast<std::size_t>(lane.depth), ' ') + lane.label);
  return all;
}

const Lane& lane(const Timeline& timeline, const std::string& label) {
  for (const Lane& each : timeline.lanes)
    if (each.label == label) return each;
  FAIL("no lane " << label);
  return timeline.lanes.front();
}

TEST_CASE("Lanes form a tree of GPUs, streams, copy directions, threads and NVTX domains") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0_ms, .end = 1_ms, .device = 1, .stream = 13})
                         .kernel({.start = 0_ms, .end = 1_ms, .stream = 7})
                         .copy({.start = 2_ms, .end = 3_ms, .bytes = 10})
                         .api({.start = 0_ms, .end = 1_ms})
                         .range({.start = 0_ms, .end = 5_ms, .text = "forward"})
                         .step(0_ms, 6_ms)
                         .build();
  CHECK(labels(timeline_of(trace)) ==
        std::vector<std::string>{"GPU 0", " utilization", "  kernels at once", "  link to the host", " stream 7",
                                 " copies: host to device", "GPU 1", " utilization", "  kernels at once",
                                 " stream 13", "thread 1000 (1000)", " NVTX", " NVTX step"});
}

TEST_CASE("With two processes each has its own tree") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 5}).kernel({.start = 0, .end = 5, .process = 1});
  auto trace = builder.build();
  trace.processes.push_back({.global_pid = 2, .pid = 2000, .name = "second"});
  CHECK(labels(timeline_of(trace)) == std::vector<std::string>{
                                            "trainer (1000)", " GPU 0", "  utilization", "   kernels at once",
                                            "  stream 7", "second (2000)", " GPU 0", "  utilization",
                                            "   kernels at once", "  stream 7"});
}

TEST_CASE("Processes without a GPU come last") {
  auto trace =
      TraceBuilder{}.api({.start = 0, .end = 5}).kernel({.start = 0, .end = 5, .process = 1}).build();
  trace.processes.push_back({.global_pid = 2, .pid = 2000, .name = "second"});
  CHECK(labels(timeline_of(trace)).front() == "second (2000)");
}

TEST_CASE("Nested ranges lie below each other, the outer first where both start together") {
  const auto trace = TraceBuilder{}
                         .range({.start = 0, .end = 10, .text = "inner"})
                         .range({.start = 0, .end = 100, .text = "outer"})
                         .range({.start = 50, .end = 60, .text = "second inner"})
                         .build();
  const Timeline timeline = timeline_of(trace);
  const Lane& nvtx = lane(timeline, "NVTX");
  REQUIRE(nvtx.rows.size() == 2);
  CHECK(nvtx.rows[0].size() == 1);
  CHECK(nvtx.rows[0].end_ns(0) == 100);
  CHECK(nvtx.rows[1].size() == 2);
}

TEST_CASE("A range that was still open runs to the end of the trace") {
  auto trace =
      TraceBuilder{}.range({.start = 5, .end = 6, .text = "open"}).kernel({.start = 0, .end = 50}).build();
  trace.nvtx.end_ns[0] = trace::kNoEnd;
  CHECK(lane(timeline_of(trace), "NVTX").rows[0].end_ns(0) == 50);
}

TEST_CASE("Deeper nesting than there are rows is cut, counted and stays in order") {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 200; ++i) builder.range({.start = i, .end = 1000 - i, .text = "deep"});
  const Timeline timeline = timeline_of(builder.build());
  const Lane& nvtx = lane(timeline, "NVTX");
  CHECK(nvtx.rows.size() == kMaxRowsPerLane);
  CHECK(timeline.cut_events == 200 - kMaxRowsPerLane);
  const EventRow& last = nvtx.rows.back();
  for (std::size_t i = 0; i + 1 < last.size(); ++i) REQUIRE(last.end_ns(i) <= last.start_ns(i + 1));
}

TEST_CASE("The summary of a GPU tells one kernel, several, copies and both, and leaves idle time empty") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0, .end = 10, .stream = 1})
                         .kernel({.start = 5, .end = 15, .stream = 2})
                         .copy({.start = 12, .end = 20, .stream = 3})
                         .kernel({.start = 30, .end = 40})
                         .build();
  const Timeline timeline = timeline_of(trace);
  const EventRow& row = timeline.lanes[0].rows[0];
  std::vector<std::pair<Category, trace::Span>> states;
  for (std::size_t i = 0; i < row.size(); ++i) states.emplace_back(row.category(i), row.span(i));
  CHECK(states == std::vector<std::pair<Category, trace::Span>>{{Category::one_kernel, {0, 5}},
                                                                {Category::several_kernels, {5, 10}},
                                                                {Category::one_kernel, {10, 12}},
                                                                {Category::kernel_and_copy, {12, 15}},
                                                                {Category::only_copies, {15, 20}},
                                                                {Category::one_kernel, {30, 40}}});
}

TEST_CASE("Kernels that follow each other without a gap are one stretch of the summary") {
  const auto trace = TraceBuilder{}.kernel({.start = 0, .end = 10}).kernel({.start = 10, .end = 20}).build();
  CHECK(timeline_of(trace).lanes[0].rows[0].size() == 1);
}

TEST_CASE("An event is found again by its row in the trace") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 5, .end = 6})
                         .kernel({.start = 5, .end = 6, .stream = 9})
                         .copy({.start = 5, .end = 7})
                         .build();
  const Timeline timeline = timeline_of(trace);
  const EventRef second{trace::Table::kernels, 1};
  const auto place = timeline.find(second, 5);
  REQUIRE(place);
  CHECK(timeline.lanes[place->lane].rows[place->row].ref(place->index) == second);
  CHECK_FALSE(timeline.find(EventRef{trace::Table::kernels, 7}, 5));
}

TEST_CASE("Copies are told apart by direction and host memory") {
  using trace::CopyKind, trace::MemoryKind;
  CHECK(copy_category(CopyKind::host_to_device, MemoryKind::pageable, MemoryKind::device) ==
        Category::to_device_pageable);
  CHECK(copy_category(CopyKind::host_to_device, MemoryKind::pinned, MemoryKind::device) ==
        Category::to_device_pinned);
  CHECK(copy_category(CopyKind::device_to_host, MemoryKind::device, MemoryKind::pinned) ==
        Category::to_host_pinned);
  CHECK(copy_category(CopyKind::peer_to_peer, MemoryKind::device, MemoryKind::device) == Category::peer_copy);
}

TEST_CASE("Ranges that differ in digits only look alike") {
  CHECK(range_category("step 1") == range_category("step 22"));
}

TEST_CASE("A GPU that ran nothing has a lane, under the process that has the others") {
  const trace::Gpu idle{.device = trace::DeviceId{3}, .name = "H100"}, busy{.device = trace::DeviceId{0}};
  const auto trace = TraceBuilder{}.gpu(busy).gpu(idle).kernel({.start = 0, .end = 5}).build();
  const Timeline timeline = timeline_of(trace);
  CHECK(labels(timeline) == std::vector<std::string>{"GPU 0", " utilization", "  kernels at once", " stream 7",
                                                     "GPU 3  H100"});
  CHECK(timeline.lanes.back().rows.front().size() == 0);
}

TEST_CASE("A GPU that ran nothing belongs to none of several processes") {
  TraceBuilder builder;
  builder.gpu({.device = trace::DeviceId{5}}).kernel({.start = 0, .end = 5});
  auto trace = builder.kernel({.start = 0, .end = 5, .device = 1, .process = 1}).build();
  trace.processes.push_back({.global_pid = 2, .pid = 2000, .name = "second"});
  CHECK(labels(timeline_of(trace)).back() == "GPU 5");
}

TEST_CASE("Fills and graphs recorded as a whole keep a GPU busy; a graph whose kernels are known counts once") {
  auto trace = TraceBuilder{}.graph({.start = 0, .end = 10}).kernel({.start = 20, .end = 30}).build();
  CHECK(timeline_of(trace).lanes[0].rows[0].size() == 2);
  trace.kernels.graph_node[0] = 7;
  CHECK(timeline_of(trace).lanes[0].rows[0].size() == 1);
}

TEST_CASE("Many GPUs and threads, dealt out to the cores, have the events that are theirs") {
  constexpr int kMany = 19;
  TraceBuilder builder;
  for (int i = 0; i < kMany; ++i)
    builder.kernel({.start = i, .end = 100 + i, .device = i}).kernel({.start = 200, .end = 200 + i, .device = i, .stream = 8});
  const auto trace = builder.build();
  const Timeline timeline = timeline_of(trace);
  for (int i = 0; i < kMany; ++i) {
    const auto gpu = std::find_if(timeline.lanes.begin(), timeline.lanes.end(), [&](const Lane& l) {
      return l.kind == LaneKind::gpu && l.device == trace::DeviceId{i};
    });
    REQUIRE(gpu != timeline.lanes.end());
    CHECK(gpu->rows[0].end_ns(0) == 100 + i);
    CHECK(gpu->rows[0].size() == (i == 0 ? 1 : 2));  // the second kernel of GPU 0 takes no time
  }
  CHECK(timeline.event_count == 2 * kMany);
}

TEST_CASE("An empty trace has no lanes") {
  const auto trace = TraceBuilder{}.build();
  CHECK(timeline_of(trace).lanes.empty());
}

TEST_CASE("Threads and processes that the trace does not know have lanes all the same") {
  auto trace =
      TraceBuilder{}.api({.start = 0, .end = 5}).kernel({.start = 0, .end = 5, .process = -1}).build();
  trace.api_calls.thread[0] = trace::ThreadIndex{-1};
  CHECK(labels(timeline_of(trace)) == std::vector<std::string>{"GPU 0", " utilization", "  kernels at once",
                                                               " stream 7", "unknown thread"});
}

}  // namespace
}  // namespace gputrace::gui
