#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("lazy-loading-in-loop", trace); }

// Steps of two kernels of 100 us, and in the fourth a kernel that none had before, whose launch takes `first`.
Trace loop(std::int64_t first, std::string_view name = "evaluation") {
  TrainingLoop loop;
  std::int64_t correlation = 1'000'000;
  for (int step = 0; step < 8; ++step) {
    loop.launch(0, 100_us);
    loop.launch(0, 100_us);
    if (step == 4) {
      const std::int64_t at = loop.now_ns(0);
      loop.builder().api({.start = at, .end = at + first, .correlation = ++correlation});
      loop.builder().kernel({.start = at + 3_us, .end = at + 13_us, .name = name, .correlation = correlation});
      loop.host(0, first);
    }
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("lazy-loading-in-loop: the first launch of a kernel takes its usual time where it was loaded before") {
  const Finding finding = look(loop(2_ms));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "Code is loaded in 1 call within the steps");
  CHECK(finding.predicted_speedup > 1.5);
}

TEST_CASE("lazy-loading-in-loop: from ten times the usual launch on, and a kernel's first one alone") {
  CHECK(look(loop(49'000)).verdict == Verdict::nothing);
  CHECK(look(loop(500'000)).verdict == Verdict::found);
  CHECK(look(loop(2_ms, "kernel")).verdict == Verdict::nothing);
}

TEST_CASE("lazy-loading-in-loop: a kernel that starts only once it is loaded starts that much sooner") {
  const auto starts_after = [](std::int64_t first) {
    TrainingLoop loop;
    for (int step = 0; step < 8; ++step) {
      loop.launch(0, 100_us);
      loop.launch(0, 100_us);
      if (step == 4) {
        const std::int64_t at = loop.now_ns(0);
        loop.builder().api({.start = at, .end = at + first, .correlation = 1'000'000});
        loop.builder().kernel({.start = at + first + 3_us, .end = at + first + 13_us, .name = "evaluation", .correlation = 1'000'000});
        loop.host(0, first + 13_us);
      }
      loop.end_step();
    }
    return look(loop.build());
  };
  // Of the eight steps of 0.2 ms, one takes 2 ms more, and all of that is won back.
  const Finding finding = starts_after(2_ms);
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.recoverable_ns_per_step == Approx(2_ms / 8).epsilon(0.1));
  CHECK(starts_after(49'000).verdict == Verdict::nothing);
}

TEST_CASE("lazy-loading-in-loop: loading that the driver recorded counts in the call that it lies in, however short") {
  const auto recorded = [](OverheadKind kind, bool in_call) {
    TrainingLoop loop;
    for (int step = 0; step < 8; ++step) {
      for (int i = 0; i < 4; ++i) {
        const std::int64_t at = loop.now_ns(0);
        loop.builder().api({.start = at, .end = at + 45_us, .correlation = 1'000'000 + step * 4 + i});
        loop.builder().kernel({.start = at + 46_us, .end = at + 50_us, .correlation = 1'000'000 + step * 4 + i});
        loop.builder().overhead({.start = in_call ? at + 2_us : at + 46_us, .end = in_call ? at + 42_us : at + 49_us, .kind = kind});
        loop.host(0, 50_us);
      }
      loop.end_step();
    }
    return look(loop.build());
  };
  for (const OverheadKind kind : {OverheadKind::lazy_function_load, OverheadKind::module_load, OverheadKind::driver_jit}) {
    const Finding finding = recorded(kind, true);
    REQUIRE(finding.verdict == Verdict::found);
    CHECK(finding.title == "Code is loaded in 32 calls within the steps");
    CHECK(finding.predicted_speedup == Approx(205.0 / 45).epsilon(0.05));  // 40 of 50 us, four times a step
  }
  CHECK(recorded(OverheadKind::buffer_flush, true).verdict == Verdict::nothing);
  CHECK(recorded(OverheadKind::module_load, false).verdict == Verdict::nothing);
}

TEST_CASE("lazy-loading-in-loop: loading a module in the loop counts whatever it takes") {
  TrainingLoop loop;
  for (int step = 0; step < 6; ++step) {
    loop.call(0, "cuModuleLoadData", 1_ms);
    loop.launch(0, 1_ms);
    loop.end_step();
  }
  CHECK(look(loop.build()).verdict == Verdict::found);
}

TEST_CASE("lazy-loading-in-loop: cannot look without steps or API calls") {
  TrainingLoop unsteady;
  unsteady.launch(0, 8_ms);
  CHECK(look(unsteady.build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
}
