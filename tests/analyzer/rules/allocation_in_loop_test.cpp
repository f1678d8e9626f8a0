#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("allocation-in-loop", trace); }

Trace loop(int allocations, std::int64_t kernel = 100_us) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 10; ++i) {
      loop.launch(0, kernel);
      if (i >= allocations) continue;
      loop.call(0, "cudaMalloc_v3020", 50_us);
      loop.wait(0, "cudaFree_v3020");
    }
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("allocation-in-loop: without allocations the GPU's queue stays full") {
  const Finding finding = look(loop(9));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title.find("18 times per step") != std::string::npos);
  CHECK(finding.predicted_speedup == Approx(1.036).margin(0.005));  // nine times the way to the GPU and back
  CHECK_FALSE(finding.evidence.empty());
}

TEST_CASE("allocation-in-loop: silent without them, on those from a pool, and where they cost less than 1 %") {
  CHECK(look(loop(0)).verdict == Verdict::nothing);
  TrainingLoop pool;
  for (int step = 0; step < 6; ++step) {
    pool.call(0, "cudaMallocAsync_v11020", 500_us);
    pool.launch(0, 100_us);
    pool.end_step();
  }
  CHECK(look(pool.build()).verdict == Verdict::nothing);
  CHECK(look(loop(1, 20_ms)).verdict == Verdict::nothing);
}

TEST_CASE("allocation-in-loop: cannot look without steps") {
  TraceBuilder builder;
  builder.api({.start = 0, .end = 50_ms, .name = "cudaMalloc"}).api({.start = 50_ms, .end = 51_ms, .correlation = 1});
  builder.kernel({.start = 51_ms, .end = 60_ms, .correlation = 1});
  CHECK(look(builder.build()).verdict == Verdict::could_not_look);
}

TEST_CASE("allocation-in-loop: cannot look without API calls or without GPU work") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
