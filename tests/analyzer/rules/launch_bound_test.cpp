#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

// 1,000 kernels, one every 100 us, that run `busy_us`; each is launched 5 us before it starts.
TraceBuilder launches(std::int64_t busy_us, std::int64_t period = 100_us) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t start = i * period + 10_us;
    builder.kernel({.start = start, .end = start + busy_us * 1_us, .correlation = i + 1});
    builder.api({.start = start - 5_us, .end = start - 1_us, .correlation = i + 1});
  }
  return builder;
}

Finding look(const Trace& trace) { return run_rule("launch-bound", trace); }

}  // namespace

TEST_CASE("launch-bound: found from 15 % of the time without a launched kernel") {
  CHECK(look(launches(84).build()).verdict == Verdict::found);
  CHECK(look(launches(86).build()).verdict == Verdict::nothing);
}

TEST_CASE("launch-bound: the gain is the idle time before late launches") {
  const Finding finding = look(launches(50).build());
  CHECK(finding.predicted_speedup == Approx(2.0).epsilon(0.01));
  CHECK(finding.severity == Severity::critical);
}

TEST_CASE("launch-bound: a few long pauses are not launches that cannot keep up") {
  CHECK(look(launches(390, 1000_us).build()).verdict == Verdict::nothing);
}

TEST_CASE("launch-bound: silent where kernels were launched long before they ran") {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 100; ++i) {
    builder.kernel({.start = 1_ms + i * 100_us, .end = 1_ms + i * 100_us + 50_us, .correlation = i + 1});
    builder.api({.start = i * 1_us, .end = i * 1_us + 1, .correlation = i + 1});
  }
  CHECK(look(builder.build()).verdict == Verdict::nothing);
}

TEST_CASE("launch-bound: cannot look without kernels, without API calls, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.captured(Table::api_calls).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1}).build()).verdict == Verdict::could_not_look);
  CHECK(look(launches(50).graph({.start = 0, .end = 1_us}).build()).verdict == Verdict::could_not_look);
  CHECK(look(launches(50).captured(Table::graph_launches).build()).verdict == Verdict::found);  // none was launched
}
