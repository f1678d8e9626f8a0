#include "analyzer/replay/replay.h"

#include <catch2/catch.hpp>
#include <random>

#include "analyzer/steps.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Span;
using gputrace::trace::Trace;

namespace {

DependencyGraph graph_of(const Trace& trace) {
  const Steps steps = find_steps(trace);
  return build_dependency_graph(trace, steps, steps.spans.empty() ? trace.span() : analysis_window(trace, steps));
}

std::int64_t length(const Replayed& replayed) { return replayed.end_ns - replayed.start_ns; }

Change scale_kernels(double factor) {
  return [factor](const DependencyGraph& graph, Moment to, const Edge& edge) {
    const bool kernel = edge.kind == EdgeKind::duration && graph.kind[task_of(to)] == TaskKind::kernel;
    return kernel ? static_cast<std::int64_t>(factor * static_cast<double>(edge.lag_ns)) : edge.lag_ns;
  };
}

Change without_host_work() {
  return [](const DependencyGraph& graph, Moment to, const Edge& edge) {
    const bool call = edge.kind == EdgeKind::duration && graph.kind[task_of(to)] == TaskKind::call;
    return call || edge.kind == EdgeKind::program ? std::int64_t{0} : edge.lag_ns;
  };
}

// Launches every `period` that take 5 us, kernels of `busy` on one stream, 3 us after the call at the earliest.
TraceBuilder launches(int count, std::int64_t period, std::int64_t busy) {
  TraceBuilder builder;
  std::int64_t free_at = 0;
  for (int i = 0; i < count; ++i) {
    const std::int64_t call = i * period, start = std::max(call + 3_us, free_at);
    builder.api({.start = call, .end = call + 5_us, .correlation = i + 1});
    builder.kernel({.start = start, .end = start + busy, .correlation = i + 1});
    free_at = start + busy;
  }
  return builder;
}

}  // namespace

TEST_CASE("a replay without a change gives every recorded time back, on random traces") {
  std::mt19937 random(5);
  const auto pick = [&](unsigned below) { return static_cast<std::int64_t>(random() % below); };
  for (int round = 0; round < 60; ++round) {
    TraceBuilder builder;
    std::int64_t host[2] = {0, 0}, stream_free[4] = {}, correlation = 0;
    for (int n = 0; n < 80; ++n) {
      const auto thread = static_cast<std::size_t>(pick(2)), stream = static_cast<std::size_t>(pick(4));
      const std::int64_t call = host[thread] + 1 + pick(20), call_end = call + 2 + pick(5);
      const std::int64_t start = std::max(call + 2 + pick(3), stream_free[stream]), end = start + 1 + pick(30);
      const bool blocks = pick(5) == 0;
      host[thread] = blocks ? std::max(call_end, end + pick(3)) : call_end;
      stream_free[stream] = end;
      builder.api({.start = call, .end = host[thread], .correlation = ++correlation, .thread = static_cast<int>(thread)});
      builder.kernel({.start = start, .end = end, .device = static_cast<int>(stream / 2), .stream = static_cast<int>(stream), .correlation = correlation});
    }
    const DependencyGraph graph = graph_of(builder.build());
    CHECK(replay(graph).at_ns == graph.recorded_ns);
  }
}

TEST_CASE("kernels that bind: half their duration halves the run") {
  const DependencyGraph graph = graph_of(launches(100, 10_us, 100_us).build());
  CHECK(static_cast<double>(length(replay(graph))) == Approx(100 * 100e3).epsilon(0.01));
  CHECK(static_cast<double>(length(replay(graph, scale_kernels(0.5)))) == Approx(100 * 50e3).epsilon(0.01));
}

TEST_CASE("launches that bind: faster kernels win nothing, a faster host does") {
  const DependencyGraph graph = graph_of(launches(100, 50_us, 20_us).build());
  CHECK(static_cast<double>(length(replay(graph))) == Approx(100 * 50e3).epsilon(0.01));
  CHECK(static_cast<double>(length(replay(graph, scale_kernels(0.5)))) == Approx(100 * 50e3).epsilon(0.01));
  CHECK(static_cast<double>(length(replay(graph, without_host_work()))) == Approx(100 * 20e3).epsilon(0.01));
}

TEST_CASE("a blocking copy ends its call, and the host waits with it") {
  TraceBuilder builder;
  builder.api({.start = 0_us, .end = 5_us, .correlation = 1}).kernel({.start = 3_us, .end = 100_us, .correlation = 1});
  builder.api({.start = 5_us, .end = 130_us, .name = "cudaMemcpy", .correlation = 2});
  builder.copy({.start = 100_us, .end = 125_us, .bytes = 4, .correlation = 2});
  builder.api({.start = 131_us, .end = 135_us, .correlation = 3}).kernel({.start = 134_us, .end = 234_us, .correlation = 3});
  const DependencyGraph graph = graph_of(builder.build());
  // The first kernel takes 97 us; without it the copy may start 3 us after its call, and all that follows moves up.
  const Replayed faster = replay(graph, [](const DependencyGraph& g, Moment to, const Edge& edge) {
    const bool first = edge.kind == EdgeKind::duration && g.kind[task_of(to)] == TaskKind::kernel && g.row[task_of(to)] == 0;
    return first ? std::int64_t{0} : edge.lag_ns;
  });
  CHECK(faster.end_ns < 234_us - 85_us);
  CHECK(faster.end_ns > 100_us);
}

TEST_CASE("the steps are barriers: the slowest thread sets the pace of all") {
  TraceBuilder builder;
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t at = step * 100_us;
    builder.step(at, at + 100_us);
    builder.api({.start = at + 1_us, .end = at + 20_us, .thread = 0}).api({.start = at + 1_us, .end = at + 90_us, .thread = 1});
  }
  const DependencyGraph graph = graph_of(builder.build());
  const auto scale_thread = [](std::uint32_t odd) {
    return [odd](const DependencyGraph& g, Moment to, const Edge& edge) {
      const bool scaled = edge.kind == EdgeKind::duration && g.kind[task_of(to)] == TaskKind::call && g.row[task_of(to)] % 2 == odd;
      return scaled ? edge.lag_ns / 2 : edge.lag_ns;
    };
  };
  CHECK(length(replay(graph)) == 400_us);
  CHECK(length(replay(graph, scale_thread(0))) == 400_us);
  CHECK(length(replay(graph, scale_thread(1))) < 400_us - 4 * 40_us);
}

TEST_CASE("the critical path leads from the end to the start, through what decided each moment") {
  const DependencyGraph graph = graph_of(launches(10, 50_us, 20_us).build());
  const Replayed replayed = replay(graph);
  const auto path = critical_path(graph, replayed);
  REQUIRE(path.size() > 10);
  CHECK(replayed.at_ns[path.front()] == replayed.end_ns);
  CHECK(replayed.at_ns[path.back()] == replayed.start_ns);
  for (std::size_t i = 1; i < path.size(); ++i) CHECK(replayed.at_ns[path[i]] <= replayed.at_ns[path[i - 1]]);
}

TEST_CASE("an empty trace gives an empty graph") {
  const DependencyGraph graph = graph_of(TraceBuilder{}.build());
  CHECK(graph.task_count() == 0);
  CHECK(critical_path(graph, replay(graph)).empty());
}

TEST_CASE("a kernel that is over before its launch returns is waited for only where most are") {
  const auto blocking = [](int over, int all) {
    TraceBuilder builder;
    for (int i = 0; i < all; ++i) {
      const std::int64_t call = i * 100_us;
      builder.api({.start = call, .end = call + 20_us, .correlation = i + 1});
      builder.kernel({.start = call + 5_us, .end = call + (i < over ? 10_us : 50_us), .correlation = i + 1});
    }
    const DependencyGraph graph = graph_of(builder.build());
    return std::count_if(graph.edges.begin(), graph.edges.end(), [](const Edge& edge) { return edge.kind == EdgeKind::blocking; });
  };
  CHECK(blocking(5, 10) == 0);
  CHECK(blocking(6, 10) == 6);
}

TEST_CASE("what a stream runs without a captured call was asked for before what it runs next") {
  TraceBuilder builder;
  builder.api({.start = 0, .end = 5_us, .correlation = 2});
  builder.api({.start = 10_us, .end = 201_us, .name = "cudaStreamSynchronize_v3020", .correlation = 3}).sync({.start = 10_us, .end = 201_us, .correlation = 3});
  builder.kernel({.start = 20_us, .end = 60_us, .correlation = 98}).kernel({.start = 60_us, .end = 100_us, .correlation = 99}).kernel({.start = 100_us, .end = 200_us, .correlation = 2});
  const Trace trace = builder.build();
  const DependencyGraph graph = graph_of(trace);
  const Replayed half = replay(graph, scale_kernels(0.5));
  CHECK(replay(graph).at_ns == graph.recorded_ns);
  CHECK(length(half) == 201'000 - 90'000);  // the synchronization follows the last kernel
}

TEST_CASE("a synchronization that found the GPU done waits for it where it is done later") {
  TraceBuilder builder;
  builder.api({.start = 0, .end = 5_us, .correlation = 1}).kernel({.start = 3_us, .end = 50_us, .correlation = 1});
  builder.api({.start = 90_us, .end = 92_us, .name = "cudaStreamSynchronize_v3020", .correlation = 2}).sync({.start = 90_us, .end = 92_us, .correlation = 2});
  const DependencyGraph graph = graph_of(builder.build());
  CHECK(replay(graph).at_ns == graph.recorded_ns);
  CHECK(length(replay(graph, scale_kernels(0.5))) == 92'000);
  CHECK(length(replay(graph, scale_kernels(2))) == 3'000 + 2 * 47'000 + 2'000);
}
