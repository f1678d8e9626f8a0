#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("start-up-dominates", trace); }

// An upload at once, then steps of `step` from `before` on.
Trace run(std::int64_t before, std::int64_t step, MemoryKind memory = MemoryKind::pageable) {
  TraceBuilder builder;
  builder.copy({.start = 0, .end = 900_ms, .bytes = 2'700'000'000, .source = memory});
  for (int i = 0; i < 4; ++i) {
    builder.kernel({.start = before + i * step, .end = before + (i + 1) * step});
    builder.step(before + i * step, before + (i + 1) * step);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("start-up-dominates: says what was uploaded, and from which memory") {
  const Finding finding = look(run(2_s, 100_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.severity == Severity::info);
  CHECK(finding.title == "Start-up takes 2.00 s of the 2.40 s traced");
  CHECK(finding.why.find("2.7 GB are copied to the GPUs in 900.0 ms, at 3.0 GB/s, from pageable memory") != std::string::npos);
  CHECK(look(run(2_s, 100_ms, MemoryKind::pinned)).why.find("pageable") == std::string::npos);
}

TEST_CASE("start-up-dominates: an upload below a hundredth of the start-up is not held up as its cause") {
  CHECK(look(run(89_s, 30_ms)).why.find("are copied to the GPUs") != std::string::npos);
  const Finding finding = look(run(91_s, 30_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.why.find("are copied to the GPUs") == std::string::npos);
  CHECK(finding.evidence.size() == 1);
}

TEST_CASE("start-up-dominates: from half of the trace and a second on") {
  CHECK(look(run(2_s, 510_ms)).verdict == Verdict::nothing);
  CHECK(look(run(2_s, 490_ms)).verdict == Verdict::found);
  CHECK(look(run(990_ms, 10_ms)).verdict == Verdict::nothing);
  CHECK(look(run(1010_ms, 10_ms)).verdict == Verdict::found);
}

TEST_CASE("start-up-dominates: cannot look without kernels and ranges") {
  CHECK(look(TraceBuilder{}.copy({.start = 0, .end = 3_s}).build()).verdict == Verdict::could_not_look);
}
