#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("small-grids", trace); }

// On 20 multiprocessors: a kernel of `blocks`, and one of a thousand.
Trace loop(std::int64_t small_ns, std::int32_t blocks, std::int64_t large_ns = 1_ms) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, small_ns, "reduction", blocks);
    loop.launch(0, large_ns, "large");
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("small-grids: the gain is the share of multiprocessors that look on") {
  const Finding finding = look(loop(1_ms, 5));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(2.0 / 1.25).epsilon(0.02));
  CHECK(finding.why.find("5 blocks of 256 threads on a GPU of 20 multiprocessors") != std::string::npos);
}

TEST_CASE("small-grids: half of the multiprocessors is enough, 50 us is too short, 1 % is the least share") {
  CHECK(look(loop(1_ms, 10)).verdict == Verdict::found);
  CHECK(look(loop(1_ms, 11)).verdict == Verdict::nothing);
  CHECK(look(loop(49_us, 1, 100_us)).verdict == Verdict::nothing);
  CHECK(look(loop(51_us, 1, 100_us)).verdict == Verdict::found);
  CHECK(look(loop(51_us, 1, 4600_us)).verdict == Verdict::found);
  CHECK(look(loop(51_us, 1, 4900_us)).verdict == Verdict::nothing);
}

TEST_CASE("small-grids: a collective is meant to be small") {
  TrainingLoop loop;
  for (int step = 0; step < 3; ++step) {
    loop.launch(0, 1_ms, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 2);
    loop.end_step();
  }
  CHECK(look(loop.build()).verdict == Verdict::nothing);
}

TEST_CASE("small-grids: cannot look without kernels or without the GPU's size") {
  CHECK(look(TraceBuilder{}.captured(Table::gpus).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
