#include <catch2/catch.hpp>

#include "analyzer/replay/replay.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

// A host that launches every 5 us kernels of 25 us; once `depth` are under way, each launch returns 2 us after one is done. Of the first
// `before` the calls were made before the recording began.
Trace launches_into_queue_of(int depth, int before = 0) {
  TraceBuilder builder;
  std::vector<std::int64_t> ends;
  std::int64_t host = 0;
  for (int i = 0; i < 1'500; ++i) {
    const std::int64_t start = std::max(host + 3_us, ends.empty() ? 0 : ends.back());
    const std::int64_t end = i >= depth ? std::max(host + 4_us, ends[static_cast<std::size_t>(i - depth)] + 2_us) : host + 4_us;
    ends.push_back(start + 25_us);
    if (i >= before) builder.api({.start = host, .end = end, .correlation = i + 1});
    builder.kernel({.start = start, .end = ends.back(), .correlation = i + 1});
    host = end + 1_us;
  }
  return builder.build();
}

std::size_t waiting_launches(const DependencyGraph& graph) {
  std::size_t count = 0;
  for (Task task = 0; task < graph.task_count(); ++task) {
    if (graph.kind[task] != TaskKind::call) continue;
    for (std::uint32_t e = graph.first_edge[end_of(task)]; e < graph.first_edge[end_of(task) + 1]; ++e) count += graph.edges[e].kind == EdgeKind::blocking;
  }
  return count;
}

DependencyGraph graph_of(const Trace& trace) { return build_dependency_graph(trace, {}, trace.span()); }

double length_with_kernels_of_half(const DependencyGraph& graph) {
  const Replayed half = replay(graph, [](const DependencyGraph& g, Moment to, const Edge& edge) {
    const bool kernel = edge.kind == EdgeKind::duration && g.kind[task_of(to)] == TaskKind::kernel;
    return kernel ? edge.lag_ns / 2 : edge.lag_ns;
  });
  return static_cast<double>(half.end_ns - half.start_ns);
}

}  // namespace

TEST_CASE("launches into a full queue wait for the GPU: with faster kernels they return sooner") {
  const DependencyGraph graph = graph_of(launches_into_queue_of(1'022));
  CHECK(waiting_launches(graph) > 200);  // those after the 1022nd that is under way
  CHECK(replay(graph).at_ns == graph.recorded_ns);
  CHECK(length_with_kernels_of_half(graph) == Approx(1'500 * 12.5e3).epsilon(0.05));
}

TEST_CASE("long launches with fewer under way than the driver takes waited for nothing that is known") {
  CHECK(waiting_launches(graph_of(launches_into_queue_of(980))) == 0);
}

TEST_CASE("what was under way when the recording began takes its place in the queue") {
  const DependencyGraph graph = graph_of(launches_into_queue_of(1'022, 900));
  CHECK(waiting_launches(graph) > 200);
  CHECK(replay(graph).at_ns == graph.recorded_ns);
}

TEST_CASE("kernels without a call among those with one are not counted: when they were asked for is not known") {
  Trace trace = launches_into_queue_of(1'022);
  for (std::size_t i = 1; i < trace.kernels.size(); i += 2) trace.kernels.correlation[i] = gputrace::trace::CorrelationId{0};
  CHECK(waiting_launches(graph_of(trace)) == 0);
}

TEST_CASE("a launch in which the driver's command buffer was full waited for what was over then") {
  // A kernel of 100 us; a launch from 20 us on that returns at 105 us, and its kernel.
  const auto graph_with = [](std::int64_t full_until) {
    TraceBuilder builder;
    builder.api({.start = 0, .end = 5_us, .correlation = 1}).kernel({.start = 3_us, .end = 103_us, .correlation = 1});
    builder.api({.start = 20_us, .end = 105_us, .correlation = 2}).kernel({.start = 106_us, .end = 150_us, .correlation = 2});
    if (full_until > 0) builder.overhead({.start = 22_us, .end = full_until, .kind = gputrace::trace::OverheadKind::command_buffer_full});
    return graph_of(builder.build());
  };
  const DependencyGraph graph = graph_with(104_us);
  CHECK(waiting_launches(graph) == 1);
  CHECK(replay(graph).at_ns == graph.recorded_ns);
  CHECK(waiting_launches(graph_with(0)) == 0);
  CHECK(waiting_launches(graph_with(90_us)) == 0);   // the kernel was not over yet
  CHECK(waiting_launches(graph_with(120_us)) == 0);  // not within the call
}
