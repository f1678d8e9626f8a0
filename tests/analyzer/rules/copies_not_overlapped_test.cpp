#include <catch2/catch.hpp>

#include "analyzer/analyze.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("copies-not-overlapped", trace); }

// Input of 12 MB in `copy`, then a kernel; with `back`, as many bytes come to the host: then it was weights.
Trace loop(std::int64_t copy, std::int64_t kernel, bool pageable = false, bool back = false) {
  TrainingLoop loop;
  loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  for (int step = 0; step < 6; ++step) {
    loop.copy(0, 12'000'000, copy, pageable);
    loop.launch(0, kernel);
    if (back) loop.copy(0, 12'000'000, 1_ms, false, CopyKind::device_to_host);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("copies-not-overlapped: hidden behind the step before, the copy takes no time") {
  const Finding finding = look(loop(2_ms, 8_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(10.0 / 8).epsilon(0.01));
  CHECK(finding.title == "12.0 MB of input per step are copied while nothing computes");
}

TEST_CASE("copies-not-overlapped: kernels hide no more than their own time") {
  CHECK(look(loop(8_ms, 2_ms)).predicted_speedup == Approx(10.0 / 8).epsilon(0.01));
}

TEST_CASE("copies-not-overlapped: from 2 % of the step on; weights that come back cannot be sent ahead") {
  CHECK(look(loop(170'000, 9_ms)).verdict == Verdict::nothing);
  CHECK(look(loop(200'000, 9_ms)).verdict == Verdict::found);
  CHECK(look(loop(2_ms, 8_ms, false, true)).verdict == Verdict::nothing);
}

TEST_CASE("copies-not-overlapped: of pageable memory it is listed beneath that") {
  const Diagnosis diagnosis = analyze(loop(8_ms, 20_ms, true));
  CHECK(diagnosis.findings.front().rule == "pageable-copies");
  for (const Finding& finding : diagnosis.findings)
    if (finding.rule == "copies-not-overlapped") CHECK(finding.explained_by == "pageable-copies");
}

TEST_CASE("copies-not-overlapped: cannot look without steps, copies or API calls") {
  TrainingLoop unsteady;
  unsteady.copy(0, 12'000'000, 2_ms);
  unsteady.launch(0, 8_ms);
  CHECK(look(unsteady.build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
