#include "analyzer/replay/collectives.h"

#include <catch2/catch.hpp>

#include "analyzer/replay/changed_graph.h"
#include "analyzer/steps.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

// GPU 1 computes for `late` longer than GPU 0; both then reduce for 10 us after the later has come.
TraceBuilder two_gpus(std::int64_t late, const char* name = kAllReduce) {
  TraceBuilder builder;
  for (int gpu = 0; gpu < 2; ++gpu) {
    const std::int64_t compute_end = 103_us + (gpu == 1 ? late : 0);
    builder.api({.start = 0, .end = 2_us, .correlation = 2 * gpu + 1, .thread = gpu});
    builder.kernel({.start = 3_us, .end = compute_end, .name = "gemm", .device = gpu, .correlation = 2 * gpu + 1});
    builder.api({.start = 3_us, .end = 5_us, .correlation = 2 * gpu + 2, .thread = gpu});
    builder.kernel({.start = compute_end, .end = 103_us + late + 10_us, .name = name, .device = gpu, .correlation = 2 * gpu + 2});
  }
  return builder;
}

DependencyGraph graph_of(const Trace& trace) { return build_dependency_graph(trace, {}, trace.span()); }

Task kernel_task(const DependencyGraph& graph, std::uint32_t row) {
  for (Task task = 0; task < graph.task_count(); ++task)
    if (graph.kind[task] == TaskKind::kernel && graph.row[task] == row) return task;
  return kNoTask;
}

}  // namespace

TEST_CASE("the parts of an all-reduce on two GPUs meet when the later one has begun") {
  const Trace trace = two_gpus(50_us).build();
  const Collectives found = find_collectives(trace, trace.span());
  REQUIRE(found.matched.size() == 1);
  CHECK(found.matched[0].meeting_ns == 153_us);
  CHECK(found.matched[0].kernels.size() == 2);
  CHECK(found.unmatched == 0);
}

TEST_CASE("a straggler that catches up frees the GPU that waited for it inside the collective") {
  const Trace trace = two_gpus(50_us).build();
  const DependencyGraph graph = graph_of(trace);
  CHECK(replay(graph).at_ns == graph.recorded_ns);
  ChangedGraph changed(graph);
  changed.set_duration(kernel_task(graph, 1), 100_us);  // GPU 1's
  CHECK(changed.replayed().end_ns == 113_us);
  changed.set_duration(kernel_task(graph, 2), 0);       // one part takes no time; the other still takes its own
  CHECK(changed.replayed().end_ns == 113_us);
}

TEST_CASE("a part of a collective that is left out waits for no other GPU") {
  const Trace trace = two_gpus(50_us).build();
  const DependencyGraph graph = graph_of(trace);
  ChangedGraph changed(graph);
  for (const std::uint32_t row : {2u, 3u}) changed.leave_out_activity(kernel_task(graph, row));
  const Replayed replayed = changed.replayed();
  CHECK(replayed.at_ns[end_of(kernel_task(graph, 2))] == 103_us);
  CHECK(replayed.at_ns[end_of(kernel_task(graph, 3))] == 153_us);
}

TEST_CASE("kernels that do not run at the same time, or end apart, are no parts of one collective") {
  TraceBuilder apart;
  apart.kernel({.start = 0, .end = 10_us, .name = kAllReduce, .device = 0});
  apart.kernel({.start = 10_us, .end = 20_us, .name = kAllReduce, .device = 1});
  const Trace one_after_the_other = apart.build();
  CHECK(find_collectives(one_after_the_other, one_after_the_other.span()).matched.empty());
  CHECK(find_collectives(one_after_the_other, one_after_the_other.span()).unmatched == 2);

  for (const std::int64_t between : {20_us, 21_us}) {
    TraceBuilder builder;
    builder.kernel({.start = 0, .end = 100_us, .name = kAllReduce, .device = 0});
    builder.kernel({.start = 5_us, .end = 100_us + between, .name = kAllReduce, .device = 1});
    const Trace trace = builder.build();
    CHECK(find_collectives(trace, trace.span()).matched.size() == (between == 20_us ? 1u : 0u));
  }
}

TEST_CASE("kernels of one GPU alone, of other names, and sends and receives have no partners to find") {
  const Trace other = two_gpus(0, "my_all_reduce").build();
  CHECK(find_collectives(other, other.span()).matched.empty());
  CHECK(find_collectives(other, other.span()).unmatched == 0);
  const Trace send = two_gpus(0, "ncclDevKernel_SendRecv(ncclDevComm*)").build();
  CHECK(find_collectives(send, send.span()).matched.empty());
  const Trace broadcast = two_gpus(0, "ncclBroadcastRingLLKernel_copy_i8(ncclColl)").build();
  CHECK(find_collectives(broadcast, broadcast.span()).matched.empty());
  TraceBuilder one;
  one.kernel({.start = 0, .end = 10_us, .name = kAllReduce});
  const Trace alone = one.build();
  CHECK(find_collectives(alone, alone.span()).unmatched == 1);
}

TEST_CASE("across clocks that were not aligned no collective is matched") {
  Trace trace = two_gpus(50_us).build();
  trace.clocks = {{.process = gputrace::trace::ProcessIndex{0}, .residual_ns = -1}};
  CHECK(find_collectives(trace, trace.span()).matched.empty());
  trace.clocks[0].residual_ns = 5'000;
  CHECK(find_collectives(trace, trace.span()).matched.size() == 1);
}

TEST_CASE("three GPUs in many collectives, one after the other, find together again after one that is cut off") {
  TraceBuilder builder;
  for (int i = 0; i < 20; ++i) {
    for (int gpu = 0; gpu < 3; ++gpu) {
      if (i == 7 && gpu == 1) continue;
      const std::int64_t start = i * 1'000_us + gpu * 10_us;
      builder.kernel({.start = start, .end = i * 1'000_us + 500_us + gpu * 1_us, .name = kAllReduce, .device = gpu});
    }
  }
  const Trace trace = builder.build();
  const Collectives found = find_collectives(trace, trace.span());
  CHECK(found.matched.size() == 19);
  CHECK(found.unmatched == 2);
}
