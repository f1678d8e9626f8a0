#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("slow-link", trace); }

// Copies of GPU 1 take `factor` times as long; then a kernel.
Trace loop(double factor, std::int64_t kernel = 100_us, std::int64_t bytes = 10'000'000) {
  TrainingLoop loop(2);
  for (int step = 0; step < 6; ++step) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      if (gpu == 1) loop.host(1, 2_ms);  // after the other GPU's copy
      loop.copy(gpu, bytes, static_cast<std::int64_t>((gpu == 1 ? factor : 1) * 1e6));
      loop.launch(gpu, gpu == 1 ? kernel : 100_us);
    }
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("slow-link: the GPU, both rates, and the step at the others' rate") {
  const Finding finding = look(loop(3));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "Copies of GPU 1 run at 3.3 GB/s where another GPU's reach 10.0 GB/s");
  CHECK(finding.predicted_speedup == Approx(5.1 / 3.1).epsilon(0.02));
}

TEST_CASE("slow-link: from one and a half times on; small copies say nothing of a link") {
  CHECK(look(loop(1.6)).verdict == Verdict::found);
  CHECK(look(loop(1.4)).verdict == Verdict::nothing);
  CHECK(look(loop(3, 100_us, 65'535)).verdict == Verdict::nothing);
  CHECK(look(loop(3, 100_us, 65'536)).verdict == Verdict::found);
}

TEST_CASE("slow-link: two GPUs that share an uplink are each slower than one that has its own") {
  const auto rates = [](std::int64_t shared_ns) {
    TrainingLoop loop(3);
    for (const int gpu : {0, 1})
      loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:" + std::to_string(gpu), .to = "switch:0000:02", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
    loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:2", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
    for (int step = 0; step < 6; ++step) {
      for (int gpu = 0; gpu < 3; ++gpu) {
        loop.copy(gpu, 10'000'000, gpu == 2 ? 1_ms : shared_ns);
        loop.launch(gpu, 100_us);
      }
      loop.end_step();
    }
    return look(loop.build()).verdict;
  };
  CHECK(rates(2_ms) == Verdict::nothing);
  CHECK(rates(2'600'000) == Verdict::found);  // more than sharing explains
}

TEST_CASE("slow-link: said as a remark where it costs nothing") {
  TrainingLoop loop(2);
  for (int step = 0; step < 6; ++step) {
    loop.launch(0, 100_ms);
    loop.copy(0, 10'000'000, 1_ms);  // after the kernel
    loop.copy(1, 10'000'000, 3_ms);
    loop.end_step();
  }
  const Finding finding = look(loop.build());
  CHECK(finding.verdict == Verdict::found);
  CHECK(finding.severity == Severity::info);
  CHECK(finding.why.find("Other work hides it") != std::string::npos);
}

TEST_CASE("slow-link: cannot look without copies") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict ==
        Verdict::could_not_look);
}

TEST_CASE("slow-link: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
