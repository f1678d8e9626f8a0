#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("periodic-pauses", trace); }

// A pause in every third of nine steps, in the middle of the step or at its end.
Trace loop(std::int64_t pause, bool at_end, int steps = 9) {
  TrainingLoop loop;
  for (int step = 0; step < steps; ++step) {
    const bool pauses = step % 3 == 2;
    for (int i = 0; i < 10; ++i) {
      if (i == 5 && pauses && !at_end) loop.host(0, pause);
      loop.host(0, 10_us);
      loop.launch(0, 1_ms);
    }
    loop.end_step(pauses && at_end ? pause : 0);
  }
  return loop.build();
}

}  // namespace

TEST_CASE("periodic-pauses: the mean step without them, wherever in the step they are") {
  for (const bool at_end : {false, true}) {
    const Finding finding = look(loop(30_ms, at_end));
    REQUIRE(finding.verdict == Verdict::found);
    const double step_ms = 10.02, pause_ms = at_end ? 30 : 25.0;  // in the middle the GPU has work left
    CHECK(finding.predicted_speedup == Approx((step_ms + pause_ms / 3) / step_ms).epsilon(0.03));
    CHECK(finding.step_now_ns == Approx(1e6 * (step_ms + pause_ms / 3)).epsilon(0.03));
    REQUIRE(finding.evidence.size() == 3);
  }
}

TEST_CASE("periodic-pauses: a millisecond more is a pause, less is not") {
  CHECK(look(loop(1'100'000, true)).verdict == Verdict::found);
  CHECK(look(loop(900'000, true)).verdict == Verdict::nothing);
  CHECK(look(loop(0, true)).verdict == Verdict::nothing);
}

TEST_CASE("periodic-pauses: time that comes and goes between the calls of steps of one length is no pause") {
  const auto moving = [](std::int64_t longer) {
    TrainingLoop loop;
    for (int step = 0; step < 9; ++step) {
      for (int i = 0; i < 9; ++i) {
        loop.host(0, i == step ? 5_ms : 100_us);  // in each step before another call
        loop.launch(0, 100_us);
      }
      loop.end_step(step == 4 ? longer : 0);
    }
    return look(loop.build());
  };
  CHECK(moving(0).verdict == Verdict::nothing);
  const Finding finding = moving(9_ms);
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.recoverable_ns_per_step == Approx(1_ms).epsilon(0.05));  // of one step in nine
}

TEST_CASE("periodic-pauses: cannot look without steps") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict ==
        Verdict::could_not_look);
}

TEST_CASE("periodic-pauses: cannot look without API calls or without GPU work") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
