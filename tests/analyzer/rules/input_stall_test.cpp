#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("input-stall", trace); }

Trace loop(std::int64_t wait, std::string_view text = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, 100_us);
    loop.range(0, text, wait);
    for (int i = 0; i < 5; ++i) loop.launch(0, 1_ms);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("input-stall: the step without the wait") {
  const Finding finding = look(loop(5_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(10.0 / 5.1).epsilon(0.02));
  CHECK(finding.evidence.size() == 6);
}

TEST_CASE("input-stall: says how long the loop waits, also where work that was handed out before hides a part of it") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, 2_ms);
    loop.range(0, "next batch", 5_ms);
    loop.launch(0, 3_ms);
    loop.end_step();
  }
  const Finding finding = look(loop.build());
  CHECK(finding.title == "The loop waits 5.0 ms per step for its next batch");
  CHECK(finding.recoverable_ns_per_step == Approx(3_ms).epsilon(0.02));
}

TEST_CASE("input-stall: silent where the wait costs less than 1 %") {
  CHECK(look(loop(120_us)).verdict == Verdict::nothing);  // the kernel before it hides most of it
}

TEST_CASE("input-stall: cannot look where no range waits for a batch") {
  CHECK(look(loop(5_ms, "forward")).verdict == Verdict::could_not_look);
}

TEST_CASE("input-stall: cannot look without API calls or without GPU work") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
