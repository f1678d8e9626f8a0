#include "gui/graph_series.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

std::size_t graph_lane(const Timeline& timeline, GraphKind graph) {
  for (std::size_t l = 0; l < timeline.lanes.size(); ++l)
    if (timeline.lanes[l].kind == LaneKind::graph && timeline.lanes[l].graph == graph) return l;
  FAIL("no such graph");
  return 0;
}

GraphColumns columns_of(const trace::Trace& trace, GraphKind graph, trace::Span window, int shift) {
  const Timeline timeline = build_timeline(trace, KernelNames{trace});
  return graph_columns(timeline, graph_lane(timeline, graph), window, shift);
}

trace::Trace two_streams() {
  return TraceBuilder{}
      .kernel({.start = 0, .end = 32})
      .kernel({.start = 8, .end = 24, .stream = 8})
      .copy({.start = 0, .end = 64, .bytes = 640, .stream = 9})
      .copy({.start = 32, .end = 48, .bytes = 16, .kind = trace::CopyKind::device_to_host,
             .source = trace::MemoryKind::device, .destination = trace::MemoryKind::pinned, .stream = 10})
      .build();
}

TEST_CASE("Utilization is the share of a column in which a kernel ran") {
  const GraphColumns columns = columns_of(two_streams(), GraphKind::utilization, {0, 63}, 4);
  CHECK(columns.values == std::vector<float>{1, 1, 0, 0});
}

TEST_CASE("Kernels at once are averaged over a column") {
  const GraphColumns columns = columns_of(two_streams(), GraphKind::concurrency, {0, 63}, 4);
  CHECK(columns.values == std::vector<float>{1.5F, 1.5F, 0, 0});
  CHECK(columns.most == 1.5F);
}

TEST_CASE("The bytes of a copy pass evenly from its start to its end, by direction") {
  const GraphColumns columns = columns_of(two_streams(), GraphKind::link, {0, 63}, 4);
  for (const float rate : columns.values) CHECK(rate == Approx(10e9));
  CHECK(columns.second[1] == 0);
  CHECK(columns.second[2] == Approx(1e9));
}

TEST_CASE("The bytes of all columns are those of the copies, at every zoom") {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 500; ++i)
    builder.copy({.start = i * 97, .end = i * 97 + 50 + i % 40, .bytes = 1000 + i});
  builder.kernel({.start = 0, .end = 1});
  const trace::Trace trace = builder.build();
  const double bytes = std::accumulate(trace.copies.bytes.begin(), trace.copies.bytes.end(), 0.0);
  for (int shift = 0; shift < 18; ++shift) {
    const GraphColumns columns = columns_of(trace, GraphKind::link, trace.span(), shift);
    double sum = 0;
    for (const float rate : columns.values)
      sum += static_cast<double>(rate) / 1e9 * static_cast<double>(columns.column_ns);
    if (columns.values.size() < (1 << 14)) CHECK(sum == Approx(bytes).epsilon(1e-4));
  }
}

TEST_CASE("A column outside the trace holds nothing, and the ends of int64 do no harm") {
  const GraphColumns columns = columns_of(two_streams(), GraphKind::utilization, {-64, 200}, 4);
  CHECK(columns.values[0] == 0);
  CHECK(columns.values.back() == 0);
  const auto wide = TraceBuilder{}.kernel({.start = INT64_MIN, .end = INT64_MAX}).build();
  CHECK(columns_of(wide, GraphKind::utilization, {INT64_MIN, INT64_MAX}, 62).values[1] == Approx(1));
}

TEST_CASE("An axis ends at a round number at or above the largest value") {
  CHECK(axis_end(0) == 1);
  CHECK(axis_end(1) == 1);
  CHECK(axis_end(1.1F) == 2);
  CHECK(axis_end(4.2F) == 5);
  CHECK(axis_end(5.1F) == 10);
  CHECK(axis_end(1.2e10F) == Approx(2e10));
}

}  // namespace
}  // namespace gputrace::gui
