#include <catch2/catch.hpp>

#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("layout-conversions", trace); }

// A transpose of `moved`, then a matrix product.
Trace loop(std::int64_t moved, std::int64_t product, std::string_view moves = kTranspose) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, moved, moves);
    loop.launch(0, product, kSgemm);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("layout-conversions: without them a step is as much shorter, and they are named") {
  const Finding finding = look(loop(2_ms, 8_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(10.0 / 8).epsilon(0.01));
  CHECK(finding.why.find("y = transpose(x) (20.0 %)") != std::string::npos);
}

TEST_CASE("layout-conversions: from 5 % of kernel time on; padding is another finding") {
  CHECK(look(loop(49_us, 951_us)).verdict == Verdict::nothing);
  CHECK(look(loop(51_us, 949_us)).verdict == Verdict::found);
  CHECK(look(loop(2_ms, 8_ms, kPadding)).verdict == Verdict::nothing);
}

TEST_CASE("layout-conversions: cannot look without API calls or kernels") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).copy({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict == Verdict::could_not_look);
}
