#include <catch2/catch.hpp>

#include "analyzer/analyze.h"
#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("low-compute-utilization", trace); }

Trace busy_for(std::int64_t ns, std::string_view name = kSgemm) {
  TraceBuilder builder;
  for (int step = 0; step < 4; ++step) {
    builder.kernel({.start = step * 10_ms, .end = step * 10_ms + ns, .name = name});
    builder.step(step * 10_ms, (step + 1) * 10_ms);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("low-compute-utilization: below 60 %, as a symptom without a gain of its own") {
  const Finding finding = look(busy_for(5_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "GPU 0 computes for 50.0 % of the step");
  CHECK(finding.severity == Severity::info);
  CHECK(finding.recoverable_ns_per_step == 0);
  CHECK(look(busy_for(5'900'000)).verdict == Verdict::found);
  CHECK(look(busy_for(6'100'000)).verdict == Verdict::nothing);
}

TEST_CASE("low-compute-utilization: a collective is no computing") {
  CHECK(look(busy_for(9_ms, kAllReduce)).verdict == Verdict::found);
}

TEST_CASE("low-compute-utilization: listed beneath its cause") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 200; ++i) {
      loop.host(0, 20'000);
      loop.launch(0, 5'000);
    }
    loop.end_step();
  }
  const Diagnosis diagnosis = analyze(loop.build());
  for (const Finding& finding : diagnosis.findings)
    if (finding.rule == "low-compute-utilization") CHECK(finding.explained_by == "launch-bound");
  CHECK(diagnosis.findings.front().rule == "launch-bound");
}

TEST_CASE("low-compute-utilization: cannot look without kernels, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_us}).graph({.start = 1_us, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
