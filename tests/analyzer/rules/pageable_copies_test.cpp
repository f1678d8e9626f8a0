#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("pageable-copies", trace); }

// 12.6 MB a step, a millisecond at 80 % of PCIe 3.0 x16, which takes 4 ms from pageable memory; then a kernel.
Trace loop(bool pageable, std::int64_t kernel = 2_ms) {
  TrainingLoop loop;
  loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  for (int step = 0; step < 6; ++step) {
    loop.copy(0, 12'600'000, 4_ms, pageable);
    loop.launch(0, kernel);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("pageable-copies: from pinned memory they take the link's time") {
  const Finding finding = look(loop(true));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(6.0 / 3.0).epsilon(0.02));
  CHECK(finding.title == "Copies of 12.6 MB per step use pageable host memory");
}

TEST_CASE("pageable-copies: silent on pinned memory, and where they cost less than 1 %") {
  CHECK(look(loop(false)).verdict == Verdict::nothing);
  CHECK(look(loop(true, 310_ms)).verdict == Verdict::nothing);
  CHECK(look(loop(true, 280_ms)).verdict == Verdict::found);
}

TEST_CASE("pageable-copies: cannot look without copies") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict ==
        Verdict::could_not_look);
}

TEST_CASE("pageable-copies: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
