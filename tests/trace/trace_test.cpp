#include "trace/trace.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

namespace gputrace::trace {
namespace {

using tests::TraceBuilder;
using namespace tests;

TEST_CASE("sorting moves every column of a row together") {
  Trace trace = TraceBuilder{}
                    .kernel({.start = 30_ns,
                             .end = 40_ns,
                             .name = "late",
                             .device = 2,
                             .stream = 5,
                             .grid = {3, 2, 1},
                             .block = {64, 1, 1},
                             .registers = 90,
                             .shared_bytes = 7,
                             .correlation = 11})
                    .kernel({.start = 10_ns, .end = 20_ns, .name = "early", .device = 1, .correlation = 12})
                    .build();
  REQUIRE(trace.text(trace.kernels.name[0]) == "early");
  REQUIRE(trace.kernels.device[0] == DeviceId{1});
  REQUIRE(trace.text(trace.kernels.name[1]) == "late");
  REQUIRE(trace.kernels.span(1) == Span{30, 40});
  REQUIRE(trace.kernels.device[1] == DeviceId{2});
  REQUIRE(trace.kernels.stream[1] == StreamId{5});
  REQUIRE(trace.kernels.grid[1] == Dim3{3, 2, 1});
  REQUIRE(trace.kernels.block[1] == Dim3{64, 1, 1});
  REQUIRE(trace.kernels.registers_per_thread[1] == 90);
  REQUIRE(trace.kernels.static_shared_bytes[1] == 7);
  REQUIRE(trace.kernels.correlation[1] == CorrelationId{11});
}

TEST_CASE("rows that start together keep their order") {
  TraceBuilder builder;
  builder.api({.start = 5_ns, .end = 6_ns, .correlation = 1});
  for (int i = 2; i < 100; ++i) builder.api({.start = 4_ns, .end = 6_ns, .correlation = i});
  const Trace trace = builder.build();
  for (int i = 2; i < 100; ++i)
    REQUIRE(trace.api_calls.correlation[static_cast<std::size_t>(i - 2)].value == i);
  REQUIRE(trace.api_calls.correlation[98].value == 1);
}

TEST_CASE("a sorted table is left in place") {
  Trace trace = TraceBuilder{}.copy({.start = 1, .end = 2}).copy({.start = 1, .end = 3}).build();
  const auto* data = trace.copies.start_ns.data();
  sort_by_start(trace);
  REQUIRE(trace.copies.start_ns.data() == data);
}

TEST_CASE("the span of a trace covers all tables, and open ranges from their start") {
  REQUIRE(Trace{}.span() == Span{0, 0});
  Trace trace = TraceBuilder{}
                    .kernel({.start = 10, .end = 20})
                    .range({.start = 50, .end = kNoEnd, .text = "open"})
                    .build();
  REQUIRE(trace.span() == Span{10, 50});
  trace.nvtx.start_ns[0] = -5;
  REQUIRE(trace.span() == Span{-5, 20});
}

TEST_CASE("a CUDA event without a time stamp does not pull the span to 0") {
  Trace trace = TraceBuilder{}.kernel({.start = 10, .end = 20}).build();
  trace.cuda_events.start_ns = {0, 30};
  trace.cuda_events.end_ns = {0, 30};
  REQUIRE(trace.span() == Span{10, 30});
}

TEST_CASE("every kind and table has a name of its own") {
  for (int i = 1; i <= 13; ++i) REQUIRE(std::string_view(name(static_cast<CopyKind>(i))) != "unknown");
  for (int i = 0; i < 7; ++i) REQUIRE(std::string_view(name(static_cast<MemoryKind>(i))) != "unknown");
  for (int i = 1; i <= 4; ++i) REQUIRE(std::string_view(name(static_cast<SyncKind>(i))) != "unknown");
  for (int i = 0; i < static_cast<int>(Table::count); ++i) {
    REQUIRE(std::string_view(name(static_cast<Table>(i))) != "unknown");
  }
  REQUIRE(std::string_view(name(static_cast<CopyKind>(200))) == "unknown");
}

}  // namespace
}  // namespace gputrace::trace
