#include "analyzer/overhead_calls.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::OverheadKind;

namespace {

bool is_load(OverheadKind kind) { return kind == OverheadKind::module_load; }

}  // namespace

TEST_CASE("an overhead lies in the outer call of its thread that was under way") {
  TraceBuilder builder;
  builder.api({.start = 0, .end = 100, .correlation = 1}).api({.start = 10, .end = 90, .name = "cuLaunchKernel", .correlation = 2});
  builder.api({.start = 0, .end = 100, .correlation = 3, .thread = 1});
  builder.overhead({.start = 20, .end = 80, .kind = OverheadKind::module_load});
  builder.overhead({.start = 100, .end = 120, .kind = OverheadKind::module_load});  // the call is over
  builder.overhead({.start = 30, .end = 40, .kind = OverheadKind::buffer_flush});   // not asked about
  const auto trace = builder.build();
  const auto calls = calls_of_overheads(trace, is_load);
  REQUIRE(calls.size() == 1);
  CHECK(trace.overheads.start_ns[calls[0].overhead] == 20);
  CHECK(trace.api_calls.correlation[calls[0].call].value == 1);
  CHECK(trace.api_calls.thread[calls[0].call] == trace.overheads.thread[calls[0].overhead]);
}

TEST_CASE("without overheads of that kind, or without calls, there is none") {
  CHECK(calls_of_overheads(TraceBuilder{}.api({.start = 0, .end = 100}).overhead({.start = 5, .end = 9}).build(), is_load).empty());
  CHECK(calls_of_overheads(TraceBuilder{}.overhead({.start = 5, .end = 9, .kind = OverheadKind::module_load}).build(), is_load).empty());
}
