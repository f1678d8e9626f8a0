#include <catch2/catch.hpp>

#include "analyzer/replay/default_stream.h"
#include "analyzer/replay/replay.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Trace;

namespace {

// Kernels of 100 us, all asked for at once, in turn on the default stream (7) and another (13); `overlap` is how long each begins
// before the one before it ends.
Trace in_turn(int kernels, std::int64_t overlap = 0) {
  TraceBuilder builder;
  std::int64_t start = 1'000_us;
  for (int i = 0; i < kernels; ++i) {
    builder.api({.start = i * 5_us, .end = i * 5_us + 4_us, .correlation = i + 1});
    builder.kernel({.start = start, .end = start + 100_us, .stream = i % 2 == 0 ? 7 : 13, .correlation = i + 1});
    start += 100_us - overlap + 2_us;
  }
  return builder.build();
}

std::size_t count(const Trace& trace, EdgeKind kind) {
  const DependencyGraph graph = build_dependency_graph(trace, {}, trace.span());
  CHECK(replay(graph).at_ns == graph.recorded_ns);
  std::size_t edges = 0;
  for (const Edge& edge : graph.edges) edges += edge.kind == kind;
  return edges;
}

}  // namespace

TEST_CASE("streams that take turns with the default one, and wait for it, follow each other") {
  CHECK(count(in_turn(20), EdgeKind::default_stream) == 19);
}

TEST_CASE("fewer handovers than are enough show nothing") {
  CHECK(count(in_turn(static_cast<int>(kLeastHandovers) + 1), EdgeKind::default_stream) == kLeastHandovers);
  CHECK(count(in_turn(static_cast<int>(kLeastHandovers)), EdgeKind::default_stream) == 0);
}

TEST_CASE("a stream that once runs beside the default one does not wait for it") {
  CHECK(count(in_turn(20, 3_us), EdgeKind::default_stream) == 0);
}

TEST_CASE("streams that run when they are asked for show no waiting") {
  TraceBuilder builder;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t call = i * 200_us;
    builder.api({.start = call, .end = call + 4_us, .correlation = i + 1});
    builder.kernel({.start = call + 3_us, .end = call + 190_us, .stream = i % 2 == 0 ? 7 : 13, .correlation = i + 1});
  }
  CHECK(count(builder.build(), EdgeKind::default_stream) == 0);
}
