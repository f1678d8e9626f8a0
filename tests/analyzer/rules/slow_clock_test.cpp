#include <catch2/catch.hpp>
#include <string_view>

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

TEST_CASE("slow-clock: one kernel that takes longer on one GPU, as with other data, is no slow GPU; all of them are") {
  const auto on_four = [](double of_one, double of_all) {
    TrainingLoop loop(4);
    for (int step = 0; step < 6; ++step) {
      for (int gpu = 0; gpu < 4; ++gpu) {
        for (const char* name : {"embedding", "gemm", "norm", "softmax"}) {
          const bool longer = gpu == 1 && std::string_view(name) == "embedding";
          loop.launch(gpu, static_cast<std::int64_t>((longer ? of_one : gpu == 1 ? of_all : 1) * 1e6), name);
        }
      }
      loop.end_step();
    }
    return look(loop.build());
  };
  CHECK(on_four(4.0, 1.0).verdict == Verdict::nothing);
  const Finding finding = on_four(4.0, 1.2);
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title.starts_with("GPU 1 takes 1.20 times"));
}

TEST_CASE("slow-clock: collectives, which are long where they wait, are no evidence") {
  TrainingLoop loop(2);
  for (int step = 0; step < 6; ++step) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      for (const char* name : {"gemm", "norm"}) loop.launch(gpu, gpu == 1 ? 1'500'000 : 1'000'000, name);
      loop.launch(gpu, 3'000'000, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
    }
    loop.end_step();
  }
  const Finding finding = look(loop.build());
  REQUIRE(finding.verdict == Verdict::found);
  for (const Evidence& evidence : finding.evidence) CHECK(evidence.span.duration_ns() == 1'500'000);
}

TEST_CASE("slow-clock: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
