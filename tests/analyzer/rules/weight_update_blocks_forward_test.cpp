#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("weight-update-blocks-forward", trace); }

// After the waits, `update` of host work, in ops of the framework or not.
Trace loop(std::int64_t update, bool in_ops) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 5; ++i) loop.launch(0, 1_ms);
    loop.wait(0);
    if (in_ops) {
      loop.range(0, "ApplyMomentum, name = update/ApplyMomentum, requested = /cpu:0, device = /cpu:0", update, "op");
    } else {
      loop.host(0, update);
    }
    loop.end_step_without_waits();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("weight-update-blocks-forward: the update beside the next step") {
  const Finding finding = look(loop(3_ms, true));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(6 * 8.0 / (5 * 5.0 + 8.0)).epsilon(0.05));
  CHECK(finding.title.find("takes 3.0 ms per step") != std::string::npos);
}

TEST_CASE("weight-update-blocks-forward: silent on host work that is no op, and on less than 1 %") {
  CHECK(look(loop(3_ms, false)).verdict == Verdict::nothing);
  CHECK(look(loop(40_us, true)).verdict == Verdict::nothing);
}

TEST_CASE("weight-update-blocks-forward: cannot look without ranges of steps") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict ==
        Verdict::could_not_look);
}

TEST_CASE("weight-update-blocks-forward: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
