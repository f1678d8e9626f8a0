#include <catch2/catch.hpp>

#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("exposed-communication", trace); }

// Steps of 10 ms on two GPUs: `compute`, then an all-reduce on a stream of its own until the end of the step; it begins `hidden` before the
// computing ends, on GPU 1 `late` after GPU 0.
Trace loop(std::int64_t compute, std::int64_t hidden = 0, std::int64_t late = 0) {
  TraceBuilder builder;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t at = step * 10_ms;
    for (int gpu = 0; gpu < 2; ++gpu) {
      builder.kernel({.start = at, .end = at + compute, .name = kSgemm, .device = gpu});
      builder.kernel({.start = at + compute - hidden + (gpu == 1 ? late : 0), .end = at + 10_ms, .name = kAllReduce, .device = gpu, .stream = 9});
    }
    builder.step(at, at + 10_ms);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("exposed-communication: what the backward pass could hide is the gain") {
  const Finding finding = look(loop(8_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "GPU 0 waits for other GPUs for 20.0 % of the step");
  CHECK(finding.predicted_speedup == Approx(10.0 / 8).epsilon(0.01));
  CHECK(finding.severity == Severity::critical);
}

TEST_CASE("exposed-communication: from 5 % of the window on, and not where computing hides it") {
  CHECK(look(loop(9'510'000)).verdict == Verdict::nothing);
  CHECK(look(loop(9'490'000)).verdict == Verdict::found);
  CHECK(look(loop(9'600'000, 3_ms)).verdict == Verdict::nothing);
}

TEST_CASE("exposed-communication: waiting for the last GPU cannot be hidden") {
  const Finding finding = look(loop(6_ms, 0, 3_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(10.0 / 9).epsilon(0.01));
  CHECK(finding.why.find("GPU 1 begins 3.0 ms after GPU 0") != std::string::npos);
}

TEST_CASE("exposed-communication: without computing to hide it behind there is no gain, and still a warning") {
  const Finding finding = look(loop(0));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.recoverable_ns_per_step == 0);
  CHECK(finding.severity == Severity::warning);
  CHECK(finding.why.find("no computing left to hide it behind") != std::string::npos);
}

TEST_CASE("exposed-communication: where waiting for the last GPU is all of it, that is said") {
  const Finding finding = look(loop(6_ms, 0, 3'950'000));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.why.find("what makes that one late is the cause") != std::string::npos);
}

TEST_CASE("exposed-communication: cannot look without kernels; silent without communication") {
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::nothing);
}

TEST_CASE("exposed-communication: copies between GPUs alone keep nothing waiting; a kernel beside them does") {
  const auto copies = [](bool kernel) {
    TraceBuilder builder;
    builder.captured(Table::kernels);
    if (kernel) builder.kernel({.start = 0, .end = 1_ms});
    for (std::int64_t i = 1; i < 10; ++i)
      builder.copy({.start = i * 10_ms, .end = i * 10_ms + 9_ms, .bytes = 40'000'000, .kind = CopyKind::peer_to_peer, .source = MemoryKind::device, .to = 1});
    return look(builder.build());
  };
  CHECK(copies(true).verdict == Verdict::found);
  CHECK(copies(false).verdict == Verdict::nothing);
}
