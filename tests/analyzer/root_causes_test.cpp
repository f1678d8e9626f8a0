#include "analyzer/root_causes.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "analyzer/analyze.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

const Finding& finding(const Diagnosis& diagnosis, std::string_view rule) {
  return *std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(), [&](const Finding& it) { return it.rule == rule; });
}

}  // namespace

TEST_CASE("a finding whose time another one explains is put under it") {
  // After each kernel a result is read back, and then waited for again: the second wait finds nothing to wait for.
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 20; ++i) {
      loop.host(0, 20_us);
      loop.launch(0, 400_us);
      loop.copy(0, 4, 2_us, true, CopyKind::device_to_host);
      loop.wait(0);
    }
    loop.launch(0, 10_us);
    loop.end_step();
  }
  const Diagnosis diagnosis = analyze(loop.build());
  const Finding &readbacks = finding(diagnosis, "blocking-readbacks"), &waits = finding(diagnosis, "sync-stalls");
  REQUIRE(readbacks.verdict == Verdict::found);
  CHECK(readbacks.explained_by.empty());
  CHECK(readbacks.remedy == "remove-readbacks");
  REQUIRE(waits.verdict == Verdict::found);
  CHECK(waits.explained_by == "blocking-readbacks");
  CHECK(waits.severity == Severity::info);
  CHECK(diagnosis.all_remedies_speedup == 1);
}

TEST_CASE("findings of different time stay apart, and their remedies together win both") {
  TrainingLoop loop;
  for (int step = 0; step < 9; ++step) {
    loop.range(0, "wait for batch", 10_ms);
    for (int i = 0; i < 10; ++i) loop.launch(0, 1_ms);
    loop.end_step(step % 3 == 2 ? 30_ms : 0);
  }
  const Diagnosis diagnosis = analyze(loop.build());
  const Finding &input = finding(diagnosis, "input-stall"), &pauses = finding(diagnosis, "periodic-pauses");
  REQUIRE(input.verdict == Verdict::found);
  REQUIRE(pauses.verdict == Verdict::found);
  CHECK(input.explained_by.empty());
  CHECK(pauses.explained_by.empty());
  CHECK(diagnosis.all_remedies_speedup == Approx(30.0 / 10).epsilon(0.02));
}

TEST_CASE("one finding alone has no together") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.range(0, "wait for batch", 10_ms);
    for (int i = 0; i < 10; ++i) loop.launch(0, 1_ms);
    loop.end_step();
  }
  CHECK(analyze(loop.build()).all_remedies_speedup == 1);
}
