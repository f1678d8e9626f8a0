#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("unused-gpus", trace); }

Trace loop(int used, int present) {
  TrainingLoop loop(present);
  for (int step = 0; step < 3; ++step) {
    for (int gpu = 0; gpu < used; ++gpu) loop.launch(gpu, 1_ms);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("unused-gpus: named, where others share the work") {
  const Finding finding = look(loop(2, 4));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "GPU 2, 3 have no work, while 2 others have");
  CHECK(finding.severity == Severity::info);  // they may be left free on purpose
  CHECK(finding.recoverable_ns_per_step == 0);  // an upper bound is no prediction
}

TEST_CASE("unused-gpus: silent where all work, and where a program uses one") {
  CHECK(look(loop(4, 4)).verdict == Verdict::nothing);
  CHECK(look(loop(1, 4)).verdict == Verdict::nothing);
}

TEST_CASE("unused-gpus: threads that share one GPU could have one each") {
  TraceBuilder builder;
  for (int gpu = 0; gpu < 3; ++gpu) builder.gpu({.device = DeviceId{gpu}});
  std::int64_t correlation = 0;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t at = step * 10_ms;
    for (int thread = 0; thread < 2; ++thread) {
      builder.api({.start = at + 10_us + thread * 10_us, .end = at + 15_us + thread * 10_us, .correlation = ++correlation, .thread = thread});
      builder.kernel({.start = at + 100_us + thread * 4_ms, .end = at + 100_us + (thread + 1) * 4_ms, .correlation = correlation});
      builder.api({.start = at + 50_us + thread * 10_us, .end = at + 9_ms, .name = "cudaDeviceSynchronize", .correlation = ++correlation, .thread = thread});
    }
    builder.step(at, at + 10_ms);
  }
  const Finding finding = look(builder.build());
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "2 threads hand all their work to GPU 0, and GPU 1, 2 have none");
  CHECK(finding.predicted_speedup == Approx(10.0 / 6).epsilon(0.01));
}

TEST_CASE("unused-gpus: a thread for the forward and one for the backward pass share a GPU by nature") {
  TraceBuilder builder;
  for (int gpu = 0; gpu < 3; ++gpu) builder.gpu({.device = DeviceId{gpu}});
  std::int64_t correlation = 0;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 9; ++i) {
      const std::int64_t at = step * 10_ms + i * 1_ms;
      builder.api({.start = at, .end = at + 5_us, .correlation = ++correlation, .thread = i < 3 ? 0 : 1});
      builder.kernel({.start = at + 10_us, .end = at + 1_ms, .correlation = correlation});
    }
    builder.step(step * 10_ms, (step + 1) * 10_ms);
  }
  CHECK(look(builder.build()).verdict == Verdict::nothing);
}

TEST_CASE("unused-gpus: cannot look without kernels or without the list of GPUs") {
  CHECK(look(TraceBuilder{}.gpu({.device = DeviceId{0}}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1}).build()).verdict == Verdict::could_not_look);
}
