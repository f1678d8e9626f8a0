#include "gui/idle_gap.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

namespace gputrace::gui {
namespace {

using namespace tests;

// A gap from 10 to 20 ms that ends with a kernel launched by a call at the given time.
std::optional<IdleGap> gap_with_call(std::int64_t start, std::int64_t end, std::int64_t at = 15_ms) {
  const Session session{TraceBuilder{}
                            .kernel({.start = 0_ms, .end = 10_ms})
                            .kernel({.start = 20_ms, .end = 30_ms, .correlation = 5})
                            .api({.start = start, .end = end, .correlation = 5})
                            .build()};
  return idle_gap_at(session, 0, at);
}

TEST_CASE("The host is late where the launch began late after the GPU ran dry") {
  CHECK(gap_with_call(18_ms, 19_ms)->cause == "host late");
  CHECK(gap_with_call(15_ms + 1, 16_ms)->cause == "host late");
}

TEST_CASE("A launch under way when the GPU ran dry is launch time") {
  CHECK(gap_with_call(9_ms, 11_ms)->cause == "launch");
  CHECK(gap_with_call(15_ms - 1, 16_ms)->cause == "launch");  // the larger part of the gap
}

TEST_CASE("Work launched before the gap was waiting") {
  CHECK(gap_with_call(8_ms, 10_ms)->cause == "waiting for other work");
}

TEST_CASE("Without the call the cause is not known") {
  const Session session{
      TraceBuilder{}.kernel({.start = 0_ms, .end = 10_ms}).kernel({.start = 20_ms, .end = 30_ms}).build()};
  CHECK(idle_gap_at(session, 0, 15_ms)->cause == "cause not captured");
}

TEST_CASE("A gap knows its ends; busy time and lanes that are no GPU's have none") {
  const auto gap = gap_with_call(18_ms, 19_ms);
  CHECK(gap->span == trace::Span{10_ms, 20_ms});
  CHECK(gap_with_call(18_ms, 19_ms, 10_ms));
  CHECK_FALSE(gap_with_call(18_ms, 19_ms, 9_ms));
  CHECK_FALSE(gap_with_call(18_ms, 19_ms, 20_ms));
  const Session session{TraceBuilder{}.kernel({.start = 0, .end = 5}).api({.start = 0, .end = 50}).build()};
  CHECK_FALSE(idle_gap_at(session, 1, 20));
  CHECK(idle_gap_at(session, 0, 20)->cause == "no more work");
}

}  // namespace
}  // namespace gputrace::gui
