#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("slow-clock", trace); }

// GPU 1 takes `factor` times as long for the same kernels.
Trace loop(double factor, int gpus = 2, std::string_view other_name = "kernel") {
  TrainingLoop loop(gpus);
  for (int step = 0; step < 6; ++step) {
    for (int gpu = 0; gpu < gpus; ++gpu)
      for (int i = 0; i < 5; ++i) loop.launch(gpu, static_cast<std::int64_t>((gpu == 1 ? factor : 1) * 1e6), gpu == 1 ? other_name : "kernel");
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("slow-clock: the slow GPU is named, and the step would be that of the others") {
  const Finding finding = look(loop(1.5));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "GPU 1 takes 1.50 times as long as the others for the same kernels");
  CHECK(finding.predicted_speedup == Approx(1.5).epsilon(0.02));
  CHECK(finding.evidence.front().device == DeviceId{1});
}

TEST_CASE("slow-clock: from a tenth on, and only for kernels that another GPU runs too") {
  CHECK(look(loop(1.11)).verdict == Verdict::found);
  CHECK(look(loop(1.09)).verdict == Verdict::nothing);
  CHECK(look(loop(1.5, 1)).verdict == Verdict::nothing);
  CHECK(look(loop(1.5, 2, "another kernel")).verdict == Verdict::nothing);
  CHECK(look(loop(1.5, 2, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)")).verdict == Verdict::nothing);
}

TEST_CASE("slow-clock: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
