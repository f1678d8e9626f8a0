#include <catch2/catch.hpp>

#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("overlap-slowdown", trace); }

// A product of 1 ms alone, and one of `beside` during all of which a collective runs that took `collective` in that time.
Trace loop(std::int64_t beside, std::int64_t collective) {
  TraceBuilder builder;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t at = step * 10_ms;
    builder.kernel({.start = at, .end = at + 1_ms, .name = kSgemm});
    builder.kernel({.start = at + 2_ms, .end = at + 2_ms + beside, .name = kSgemm});
    builder.kernel({.start = at + 2_ms, .end = at + 2_ms + collective, .name = kAllReduce, .stream = 9});
    builder.step(at, at + 10_ms);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("overlap-slowdown: says by how much, and that the overlap still pays") {
  const Finding finding = look(loop(1'800'000, 1'800'000));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "Kernels of GPU 0 take 1.80 times as long beside communication");
  CHECK(finding.why.find("still pays: one after the other would take 1.0 ms longer") != std::string::npos);
  CHECK(finding.recoverable_ns_per_step == 0);
}

TEST_CASE("overlap-slowdown: where more is lost than hidden, one after the other is faster") {
  const Finding finding = look(loop(4_ms, 2_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.why.find("does not pay") != std::string::npos);
  CHECK(finding.predicted_speedup == Approx(10.0 / 9).epsilon(0.01));
}

TEST_CASE("overlap-slowdown: from a factor of 1.2 on, and only against the same kernel alone") {
  CHECK(look(loop(1'190'000, 1'190'000)).verdict == Verdict::nothing);
  CHECK(look(loop(1'210'000, 1'210'000)).verdict == Verdict::found);
  TraceBuilder builder;
  builder.kernel({.start = 0, .end = 8_ms, .name = kSgemm}).kernel({.start = 0, .end = 8_ms, .name = kAllReduce, .stream = 9});
  CHECK(look(builder.build()).verdict == Verdict::nothing);
}

TEST_CASE("overlap-slowdown: cannot look without kernels") {
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
}
