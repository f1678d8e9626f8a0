#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

Finding look(const Trace& trace) { return run_rule("collectives-on-compute-stream", trace); }

// 8 ms of computing and `communication` of it on stream 7, or on a stream of its own.
Trace loop(std::int64_t communication, int stream, bool as_copies = false) {
  TraceBuilder builder;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t at = step * 10_ms;
    builder.kernel({.start = at, .end = at + 8_ms, .name = "gemm"});
    if (as_copies) {
      builder.copy({.start = at + 8_ms, .end = at + 8_ms + communication, .bytes = 1'000'000, .kind = CopyKind::peer_to_peer, .stream = stream});
    } else {
      builder.kernel({.start = at + 8_ms, .end = at + 8_ms + communication, .name = kAllReduce, .stream = stream});
    }
    builder.step(at, at + 10_ms);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("collectives-on-compute-stream: what the backward pass could hide is the gain") {
  for (const bool as_copies : {false, true}) {
    const Finding finding = look(loop(2_ms, 7, as_copies));
    REQUIRE(finding.verdict == Verdict::found);
    CHECK(finding.predicted_speedup == Approx(10.0 / 8).epsilon(0.01));
    CHECK(finding.evidence.size() == 4);
  }
}

TEST_CASE("collectives-on-compute-stream: silent on a stream of its own, and below 1 % of the step") {
  CHECK(look(loop(2_ms, 9)).verdict == Verdict::nothing);
  CHECK(look(loop(2_ms, 9, true)).verdict == Verdict::nothing);
  CHECK(look(loop(99_us, 7)).verdict == Verdict::nothing);
  CHECK(look(loop(101_us, 7)).verdict == Verdict::found);
}

TEST_CASE("collectives-on-compute-stream: no more than the backward pass can hide") {
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 3_ms, .name = "gemm"});
  builder.kernel({.start = 3_ms, .end = 10_ms, .name = kAllReduce});
  const Finding finding = look(builder.build());
  CHECK(finding.predicted_speedup == Approx(10.0 / 8).epsilon(0.01));
}

TEST_CASE("collectives-on-compute-stream: cannot look without kernels") {
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
}
