#include <catch2/catch.hpp>

#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("low-precision-unused", trace); }

Trace run(std::int64_t product, std::string_view name = kSgemm, int generation = 8) {
  return TraceBuilder{}.gpu({.device = DeviceId{0}, .name = "A100", .compute_major = generation}).kernel({.start = 0, .end = product, .name = name})
      .kernel({.start = product, .end = 10_ms, .name = kPadding}).build();
}

}  // namespace

TEST_CASE("low-precision-unused: said as info, without a gain: it changes numerics") {
  const Finding finding = look(run(8_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.severity == Severity::info);
  CHECK(finding.recoverable_ns_per_step == 0);
  CHECK(finding.title == "Tensor cores of GPU 0 are not used: 80.0 % of kernel time is single-precision arithmetic");
}

TEST_CASE("low-precision-unused: from 25 % of kernel time on, and from Volta on") {
  CHECK(look(run(2'490'000)).verdict == Verdict::nothing);
  CHECK(look(run(2'510'000)).verdict == Verdict::found);
  CHECK(look(run(8_ms, kSgemm, 7)).verdict == Verdict::found);
  CHECK(look(run(8_ms, kSgemm, 6)).verdict == Verdict::nothing);
  CHECK(look(run(8_ms, kTensorCoreGemm)).verdict == Verdict::nothing);
}

TEST_CASE("low-precision-unused: cannot look without kernels or the GPU's generation") {
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms, .name = kSgemm}).build()).verdict == Verdict::could_not_look);
}
