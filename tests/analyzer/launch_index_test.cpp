#include "analyzer/launch_index.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

TEST_CASE("a call is found by process and correlation; of two the outer") {
  const auto trace = TraceBuilder{}
                         .api({.start = 5, .end = 6, .name = "inner", .correlation = 9})
                         .api({.start = 4, .end = 7, .name = "outer", .correlation = 9})
                         .api({.start = 1, .end = 2, .name = "none", .correlation = 0})
                         .build();
  const LaunchIndex index(trace);
  const auto row = index.call(ProcessIndex{0}, CorrelationId{9});
  REQUIRE(row);
  CHECK(trace.text(trace.api_calls.name[*row]) == "outer");
  CHECK_FALSE(index.call(ProcessIndex{0}, CorrelationId{0}));
  CHECK_FALSE(index.call(ProcessIndex{0}, CorrelationId{10}));
  CHECK_FALSE(index.call(ProcessIndex{1}, CorrelationId{9}));
}
