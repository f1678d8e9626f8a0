#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("tiny-copies", trace); }

// A run of small copies, then a kernel. The link is PCIe 3.0 x16 by its record.
Trace loop(int copies, std::int64_t bytes) {
  TrainingLoop loop;
  loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < copies; ++i) loop.copy(0, bytes, 3_us);
    loop.launch(0, 1_ms);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("tiny-copies: as one copy they take the link's time") {
  const Finding finding = look(loop(400, 4096));
  REQUIRE(finding.verdict == Verdict::found);
  // 400 calls of 5 us; together 1.6 MB take 0.13 ms.
  CHECK(finding.predicted_speedup == Approx(3.0 / 1.14).epsilon(0.05));
  CHECK(finding.title.find("400 copies per step") != std::string::npos);
}

TEST_CASE("tiny-copies: silent on few, and on large ones") {
  CHECK(look(loop(1, 4096)).verdict == Verdict::nothing);
  CHECK(look(loop(400, 65'536)).verdict == Verdict::nothing);
  CHECK(look(loop(400, 65'535)).verdict == Verdict::found);
}

TEST_CASE("tiny-copies: kernels between them keep them apart") {
  TrainingLoop apart;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 50; ++i) {
      apart.copy(0, 4096, 3_us);
      apart.launch(0, 5_us);
    }
    apart.end_step();
  }
  CHECK(look(apart.build()).verdict == Verdict::nothing);
}

TEST_CASE("tiny-copies: cannot look without copies") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict ==
        Verdict::could_not_look);
}

TEST_CASE("tiny-copies: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
