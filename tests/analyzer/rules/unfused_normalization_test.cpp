#include <catch2/catch.hpp>

#include "analyzer/analyze.h"
#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("unfused-normalization", trace); }

// A product, a mean, another mean and a root, a product.
Trace loop(std::int64_t mean, std::int64_t product = 4_ms, std::string_view root = kRsqrt, std::int32_t blocks = 1000) {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, product, kSgemm);
    loop.launch(0, mean, kMean, blocks);
    loop.launch(0, mean, kMean, blocks);
    loop.launch(0, 2_us, root);
    loop.launch(0, product, kSgemm);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("unfused-normalization: of its kernels a pass and a half stays") {
  const Finding finding = look(loop(1_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "Normalization in separate kernels takes 20.0 % of kernel time on GPU 0");
  CHECK(finding.predicted_speedup == Approx(10.0 / 9.5).epsilon(0.01));
}

TEST_CASE("unfused-normalization: a pass that finds its small operand slowly is measured by the plain one beside it") {
  const auto loop_with = [](std::int64_t plain) {
    TrainingLoop loop;
    for (int step = 0; step < 6; ++step) {
      loop.launch(0, 3_ms, kSgemm);
      loop.launch(0, 1_ms, kMean);
      loop.launch(0, 2_us, kRsqrt);
      loop.launch(0, 2_ms, kStretchedProduct);
      loop.launch(0, plain, kProduct);
      loop.launch(0, 3_ms, kSgemm);
      loop.end_step();
    }
    return loop.build();
  };
  // Of 9 ms and the plain pass: a mean and a stretched pass of 3 ms become a pass and a half.
  CHECK(look(loop_with(1_ms)).predicted_speedup == Approx(10.0 / 8.5).epsilon(0.01));
  CHECK(look(loop_with(3_ms)).predicted_speedup == Approx(1).epsilon(0.01));  // 2 ms a pass: nothing won
}

TEST_CASE("unfused-normalization: a plain product belongs to it for each tensor that was stretched, the longest first") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, 3_ms, kSgemm);
    loop.launch(0, 1_ms, kMean);
    loop.launch(0, 2_us, kRsqrt);
    loop.launch(0, 1_ms, kStretch);
    loop.launch(0, 500_us, kProduct);
    loop.launch(0, 1_ms, kProduct);
    loop.launch(0, 3_ms, kSgemm);
    loop.end_step();
  }
  // Mean, stretched tensor and one product of 3 ms in all become a pass and a half of 1 ms each.
  CHECK(look(loop.build()).predicted_speedup == Approx(9.5 / 8).epsilon(0.01));
}

TEST_CASE("unfused-normalization: from 5 % of kernel time on, and only around a reciprocal root") {
  CHECK(look(loop(204_us)).verdict == Verdict::nothing);
  CHECK(look(loop(216_us)).verdict == Verdict::found);
  CHECK(look(loop(1_ms, 4_ms, kPadding)).verdict == Verdict::nothing);
}

TEST_CASE("unfused-normalization: its reductions of few blocks are listed beneath it") {
  const Diagnosis diagnosis = analyze(loop(4_ms, 2_ms, kRsqrt, 2));
  CHECK(diagnosis.findings.front().rule == "unfused-normalization");
  for (const Finding& finding : diagnosis.findings)
    if (finding.rule == "small-grids") CHECK(finding.explained_by == "unfused-normalization");
}

TEST_CASE("unfused-normalization: cannot look without API calls or kernels") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).copy({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict == Verdict::could_not_look);
}
