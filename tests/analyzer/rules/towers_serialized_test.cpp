#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("towers-serialized", trace); }

Trace loop(int threads, bool in_turn) {
  TrainingLoop loop(threads);
  for (int step = 0; step < 6; ++step) {
    for (int thread = 0; thread < threads; ++thread) {
      if (in_turn && thread > 0) loop.join(thread, thread - 1);
      for (int i = 0; i < 5; ++i) loop.launch(thread, 1_ms);
      loop.wait(thread);
    }
    loop.end_step_without_waits();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("towers-serialized: together they take the time of one") {
  const Finding finding = look(loop(3, true));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(3).epsilon(0.02));
  CHECK(finding.title.find("The 3 GPUs work one after the other") != std::string::npos);
}

TEST_CASE("towers-serialized: silent where they overlap, and with one GPU") {
  CHECK(look(loop(3, false)).verdict == Verdict::nothing);
  CHECK(look(loop(1, true)).verdict == Verdict::nothing);
}

TEST_CASE("towers-serialized: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
