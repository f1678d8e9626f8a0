#include "analyzer/input_waits.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

TEST_CASE("ranges that wait for a batch, by their names") {
  for (const char* wait : {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "IteratorGetNext", "wait for batches", "Next_Batch", "data loading"})
    CHECK(is_input_wait(wait));
  for (const char* other : {"", "forward", "read batch", "feed batch", "update", "batch norm"}) CHECK_FALSE(is_input_wait(other));
}

TEST_CASE("waits are merged within the window") {
  TraceBuilder builder;
  builder.range({.start = 0, .end = 10, .text = "wait for batch"}).range({.start = 5, .end = 20, .text = "next_batch", .thread = 1});
  builder.range({.start = 30, .end = 40, .text = "wait for batch"}).range({.start = 32, .end = 90, .text = "forward"});
  builder.range({.start = 100, .end = 110, .text = "wait for batch"}).range({.start = 50, .end = kNoEnd, .text = "wait for batch"});
  const auto waits = input_waits(builder.build(), {8, 100});
  CHECK(waits == std::vector<Span>{{0, 20}, {30, 40}});
  CHECK(covered_ns(waits, {15, 35}) == 10);
  CHECK(covered_ns(waits, {20, 30}) == 0);
  CHECK(covered_ns({}, {0, 100}) == 0);
}
