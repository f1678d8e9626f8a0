#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("graphs-hide-kernels", trace); }

Trace run(std::int64_t graph) {
  return TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).graph({.start = 1_ms, .end = 1_ms + graph}).kernel({.start = 99_ms, .end = 100_ms}).build();
}

}  // namespace

TEST_CASE("graphs-hide-kernels: a limit of the recording, with the share of the time") {
  const Finding finding = look(run(50_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.severity == Severity::info);
  CHECK(finding.title == "CUDA graphs hide what the GPU does for 50.0 % of the traced time");
}

TEST_CASE("graphs-hide-kernels: from 1 % of the window on") {
  CHECK(look(run(990'000)).verdict == Verdict::nothing);
  CHECK(look(run(1'010'000)).verdict == Verdict::found);
}

TEST_CASE("graphs-hide-kernels: silent where what is inside was recorded, or no graph was launched") {
  Trace trace = run(50_ms);
  trace.kernels.graph_node[0] = 5;
  CHECK(look(trace).verdict == Verdict::nothing);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::nothing);
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
}
