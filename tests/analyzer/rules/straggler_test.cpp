#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("straggler", trace); }

// Two threads; thread 1 works `late` longer in the middle of each step.
Trace loop(std::int64_t late, int threads = 2) {
  TrainingLoop loop(threads);
  for (int step = 0; step < 6; ++step) {
    for (int thread = 0; thread < threads; ++thread) {
      for (int i = 0; i < 10; ++i) {
        if (i == 5 && thread == 1) loop.host(thread, late);
        loop.host(thread, 10_us);
        loop.launch(thread, 500_us);
      }
    }
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("straggler: named with its GPU, and the gain is what the others wait for") {
  const Finding finding = look(loop(10_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.why.find("hands out work to GPU 1") != std::string::npos);
  CHECK(finding.predicted_speedup == Approx(12.6 / 5.0).epsilon(0.05));
  REQUIRE_FALSE(finding.evidence.empty());
  CHECK(finding.evidence.front().device == DeviceId{1});
}

TEST_CASE("straggler: from a millisecond on, and only where somebody is beside it") {
  CHECK(look(loop(900'000)).verdict == Verdict::nothing);
  CHECK(look(loop(0)).verdict == Verdict::nothing);
  CHECK(look(loop(10_ms, 1)).verdict == Verdict::nothing);
}

TEST_CASE("straggler: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}

TEST_CASE("straggler: nothing is said across ranks whose clocks are not known to agree that well") {
  Trace trace = loop(10_ms);
  trace.clocks = {{.process = ProcessIndex{0}, .residual_ns = 9'000'000}};
  CHECK(look(trace).verdict == Verdict::found);
  trace.clocks[0].residual_ns = 11'000'000;
  CHECK(look(trace).verdict == Verdict::could_not_look);
  trace.clocks[0].residual_ns = -1;
  CHECK(look(trace).why.find("could not be aligned") != std::string::npos);
}
