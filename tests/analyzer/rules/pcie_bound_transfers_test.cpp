#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

// Ten steps of 100 ms, each a pinned copy of `copy_ms` and kernels for the rest.
Trace loop(std::int64_t copy_ms, double gbps, MemoryKind memory = MemoryKind::pinned) {
  TraceBuilder builder;
  for (std::int64_t step = 0; step < 10; ++step) {
    const std::int64_t at = step * 100_ms, copied = at + copy_ms * 1_ms;
    builder.step(at, at + 100_ms);
    builder.copy({.start = at, .end = copied, .bytes = static_cast<std::int64_t>(gbps * 1e6) * copy_ms, .source = memory});
    builder.kernel({.start = copied, .end = at + 100_ms});
  }
  return builder.build();
}

Finding look(const Trace& trace) { return run_rule("pcie-bound-transfers", trace); }

}  // namespace

TEST_CASE("pcie-bound-transfers: found from a quarter of the step in exposed copies") {
  CHECK(look(loop(26, 12)).verdict == Verdict::found);
  CHECK(look(loop(24, 12)).verdict == Verdict::nothing);
}

TEST_CASE("pcie-bound-transfers: pinned copies at the link's rate are not told to be pinned") {
  const Finding finding = look(loop(50, 12.6));  // 80 % of PCIe 3.0 x16
  CHECK(finding.why.find("pinned already") != std::string::npos);
  CHECK(finding.why.find("link's rate") != std::string::npos);
  for (const std::string& advice : finding.advice) CHECK(advice.find("pin_memory") == std::string::npos);
}

TEST_CASE("pcie-bound-transfers: that pinned copies cannot be faster is said of a link that is known alone") {
  const Finding unknown = look(loop(50, 10));  // 63 % of PCIe 3.0 x16, which it need not be
  CHECK(unknown.why.find("cannot be made faster") == std::string::npos);
  CHECK(unknown.why.find("which link it is the trace does not say") != std::string::npos);
}

TEST_CASE("pcie-bound-transfers: memory of no known kind is not called pinned") {
  CHECK(look(loop(50, 12.6, MemoryKind::unknown)).why.find("pinned") == std::string::npos);
}

TEST_CASE("pcie-bound-transfers: what pageable copies reach is not called the link's rate") {
  CHECK(look(loop(50, 6.3, MemoryKind::pageable)).why.find("the link could do") == std::string::npos);
}

TEST_CASE("pcie-bound-transfers: pageable copies are") {
  const Finding finding = look(loop(50, 3, MemoryKind::pageable));
  CHECK(finding.why.find("pageable") != std::string::npos);
  CHECK(finding.advice.back().find("pin_memory") != std::string::npos);
}

TEST_CASE("pcie-bound-transfers: the gain is that of half the bytes") {
  // 50 ms of copies and 50 ms of kernels.
  const Finding finding = look(loop(50, 12));
  CHECK(finding.recoverable_ns_per_step == 25_ms);
  CHECK(finding.predicted_speedup == Approx(100.0 / 75));
  CHECK(finding.at_stake_ns_per_step == 50_ms);
  CHECK(finding.evidence.size() == 10);
}

TEST_CASE("pcie-bound-transfers: silent where kernels hide the copies") {
  TraceBuilder builder;
  builder.kernel({.start = 0_ms, .end = 100_ms});
  builder.copy({.start = 0_ms, .end = 90_ms, .bytes = 1'000'000'000});
  CHECK(look(builder.build()).verdict == Verdict::nothing);
}

TEST_CASE("pcie-bound-transfers: silent on many tiny copies, which latency bounds") {
  TraceBuilder builder;
  builder.kernel({.start = 0_ms, .end = 10_ms});
  for (std::int64_t i = 0; i < 100; ++i) builder.copy({.start = 10_ms + i * 100_us, .end = 10_ms + i * 100_us + 90_us, .bytes = 4});
  CHECK(look(builder.build()).verdict == Verdict::nothing);
}

TEST_CASE("pcie-bound-transfers: cannot look without copies captured; captured and none is nothing") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).captured(Table::copies).build()).verdict == Verdict::nothing);
}

TEST_CASE("pcie-bound-transfers: copies of data that the host works on in the midst of a step are left to cpu-placed-ops") {
  const auto loop_with = [](std::int64_t host_ns) {
    TrainingLoop loop;
    for (int step = 0; step < 6; ++step) {
      loop.launch(0, 1'000'000);
      loop.copy(0, 40'000'000, 3'000'000, true, CopyKind::device_to_host);
      loop.host(0, host_ns);
      loop.copy(0, 40'000'000, 3'000'000);
      loop.launch(0, 1'000'000);
      loop.wait(0);
      loop.end_step();
    }
    return loop.build();
  };
  CHECK(look(loop_with(1'000'000)).verdict == Verdict::nothing);
  CHECK(look(loop_with(10'000)).verdict == Verdict::found);  // no work there: the copies alone are the matter
}
