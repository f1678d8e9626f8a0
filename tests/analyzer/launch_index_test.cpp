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

TEST_CASE("calls whose ids lie far apart are found as well, the outer of two too, over all of int64") {
  const std::int64_t ids[] = {INT64_MIN, -5, 7, INT64_MAX};
  TraceBuilder builder;
  for (const std::int64_t id : ids) {
    builder.api({.start = 10, .end = 11, .name = "inner", .correlation = id});
    builder.api({.start = 1, .end = 20, .name = "outer", .correlation = id});
  }
  const auto trace = builder.build();
  const LaunchIndex index(trace);
  for (const std::int64_t id : ids) {
    const auto row = index.call(ProcessIndex{0}, CorrelationId{id});
    REQUIRE(row);
    CHECK(trace.api_calls.correlation[*row].value == id);
    CHECK(trace.text(trace.api_calls.name[*row]) == "outer");
  }
  for (const std::int64_t id : {INT64_MIN + 1, std::int64_t{-4}, std::int64_t{1}, INT64_MAX - 1})
    CHECK_FALSE(index.call(ProcessIndex{0}, CorrelationId{id}));
}

TEST_CASE("ids close together with gaps between them: none is taken for its neighbour, nor one beyond the ends") {
  const auto trace = TraceBuilder{}
                         .api({.start = 1, .end = 2, .correlation = 100})
                         .api({.start = 3, .end = 4, .correlation = 102})
                         .api({.start = 5, .end = 6, .correlation = 107})
                         .build();
  const LaunchIndex index(trace);
  for (const std::int64_t id : {100, 102, 107}) CHECK(index.call(ProcessIndex{0}, CorrelationId{id}));
  for (const std::int64_t id : {99, 101, 106, 108}) CHECK_FALSE(index.call(ProcessIndex{0}, CorrelationId{id}));
}

TEST_CASE("calls of a thread that is not known belong to no known process; an empty index knows none") {
  auto trace = TraceBuilder{}.api({.start = 1, .end = 2, .correlation = 3}).build();
  trace.api_calls.thread[0] = ThreadIndex{-1};
  const LaunchIndex index(trace);
  CHECK(index.call(ProcessIndex{-1}, CorrelationId{3}));
  CHECK_FALSE(index.call(ProcessIndex{0}, CorrelationId{3}));
  CHECK_FALSE(LaunchIndex{}.call(ProcessIndex{0}, CorrelationId{3}));
}
