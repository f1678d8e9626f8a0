#include "analyzer/critical_path.h"

#include <catch2/catch.hpp>

#include "analyzer/replay/slack.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

std::optional<CriticalPath> path_of(const Trace& trace) {
  const Metrics metrics = measure(trace);
  return find_critical_path(trace, metrics, WhatIf(trace, metrics));
}

std::int64_t float_of(const CriticalPath& path, std::string_view who) {
  for (const auto& near : path.near)
    if (near.who == who) return near.float_ns;
  return -1;
}

Trace uneven(std::int64_t second_gpu_ns, int steps = 4) {
  TrainingLoop loop(2);
  for (int step = 0; step < steps; ++step) {
    loop.launch(0, 500'000, "volta_sgemm_128x64_nn");
    loop.launch(1, second_gpu_ns, "volta_sgemm_128x64_nn");
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("the critical path of a step is its longest chain, and its parts sum to the window") {
  const Trace trace = uneven(300'000);
  const auto path = path_of(trace);
  REQUIRE(path);
  std::int64_t ns = 0;
  for (const PathPart& part : path->parts) ns += part.ns;
  CHECK(ns == measure(trace).window.duration_ns());
  REQUIRE(!path->parts.empty());
  CHECK(path->parts.front().what == "kernels: matmul");
  CHECK(path->parts.front().ns == 4 * 500'000);
  REQUIRE(path->steps.size() == 4);
  CHECK(path->steps[1].largest.ns == 500'000);
  std::int64_t step_ns = 0;
  for (const auto& step : path->steps) step_ns += step.ns;
  CHECK(step_ns == ns);
}

TEST_CASE("how near another GPU is: the time by which its work could grow before it decides the step") {
  const auto path = path_of(uneven(300'000));
  REQUIRE(path);
  CHECK(float_of(*path, "GPU 0") == 0);
  CHECK(float_of(*path, "GPU 1") == 200'000);
  const auto grown = path_of(uneven(300'000 + 200'000 + 1'000));
  REQUIRE(grown);
  CHECK(float_of(*grown, "GPU 0") == 1'000);
  CHECK(float_of(*grown, "GPU 1") == 0);
}

TEST_CASE("of many steps the paths of the first 200 are told one by one") {
  const auto path = path_of(uneven(300'000, 230));
  REQUIRE(path);
  CHECK(path->steps.size() == 200);
}

TEST_CASE("without API calls there is no critical path to tell") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 10_us});
  CHECK_FALSE(path_of(builder.build()));
}

TEST_CASE("floats: 0 on the critical path, and an edge's slack is what its end came later than it had to") {
  const Trace trace = uneven(300'000);
  const Metrics metrics = measure(trace);
  const DependencyGraph graph = build_dependency_graph(trace, metrics.steps, metrics.window);
  const Replayed replayed = replay(graph);
  const auto floats = floats_ns(graph, replayed);
  for (const Moment moment : critical_path(graph, replayed)) CHECK(floats[moment] == 0);
  for (Moment to = 0; to < graph.moment_count(); ++to) {
    CHECK(floats[to] >= 0);
    for (std::uint32_t e = graph.first_edge[to]; e < graph.first_edge[to + 1]; ++e) CHECK(slack_ns(replayed, to, graph.edges[e]) >= 0);
    if (replayed.binding_edge[to] != UINT32_MAX) CHECK(slack_ns(replayed, to, graph.edges[replayed.binding_edge[to]]) == 0);
  }
}
