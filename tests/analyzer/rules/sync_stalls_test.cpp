#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("sync-stalls", trace); }

// Ten kernels of 100 us a step, each preceded by `host` of work; `waits` of them are waited for.
Trace loop(int waits, std::int64_t host = 100_us) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 10; ++i) {
      loop.host(0, host);
      loop.launch(0, 100_us);
      if (i < waits) loop.wait(0);
    }
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("sync-stalls: the gain is that of a host that runs ahead") {
  const Finding finding = look(loop(9));
  REQUIRE(finding.verdict == Verdict::found);
  // 10 x (100 host + 103 GPU + ...) becomes the host's own 10 x 105, and the last kernel.
  CHECK(finding.predicted_speedup == Approx(2080.0 / 1160).epsilon(0.03));
  CHECK(finding.severity == Severity::critical);
  CHECK(finding.title.find("9 times per step") != std::string::npos);
  CHECK_FALSE(finding.evidence.empty());
}

TEST_CASE("sync-stalls: the wait at a step's end is no stall, nor is one that costs less than 1 % of the step") {
  CHECK(look(loop(0)).verdict == Verdict::nothing);
  TrainingLoop short_wait;
  for (int step = 0; step < 6; ++step) {
    short_wait.launch(0, 10_us);
    short_wait.wait(0);
    short_wait.launch(0, 20_ms);
    short_wait.end_step();
  }
  CHECK(look(short_wait.build()).verdict == Verdict::nothing);
}

TEST_CASE("sync-stalls: cannot look without API calls or without GPU work, and does with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict !=
        Verdict::could_not_look);
}
