#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("unified-memory-migrations", trace); }

// Kernels of `kernel`, in the first of which pages come for 4 ms (12.6 MB: 1 ms at 80 % of PCIe 3.0 x16).
Trace loop(bool migrates, std::int64_t kernel = 5_ms) {
  TrainingLoop loop;
  loop.builder().captured(Table::copies);
  loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  for (int step = 0; step < 6; ++step) {
    const std::int64_t start = loop.now_ns(0) + TrainingLoop::kLatencyNs;
    loop.launch(0, kernel);
    loop.launch(0, 5_ms);
    for (int group = 0; group < 4 && migrates; ++group) {
      loop.builder().copy({.start = start + group * 1_ms, .end = start + (group + 1) * 1_ms, .bytes = 3'150'000, .kind = CopyKind::unified_host_to_device,
                           .source = MemoryKind::managed, .destination = MemoryKind::managed});
    }
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("unified-memory-migrations: the kernel waits as long as a copy takes, not as long as the pages do") {
  const Finding finding = look(loop(true));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(10.0 / 7.0).epsilon(0.02));
  CHECK(finding.title == "Pages of managed memory migrate 4 times per step, 12.6 MB in all");
}

TEST_CASE("unified-memory-migrations: silent without them, and where they cost less than 1 %") {
  CHECK(look(loop(false)).verdict == Verdict::nothing);
  CHECK(look(loop(true, 400_ms)).verdict == Verdict::nothing);
  CHECK(look(loop(true, 200_ms)).verdict == Verdict::found);
}

TEST_CASE("unified-memory-migrations: cannot look without copies, or without API calls") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict ==
        Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).captured(Table::copies).build()).verdict == Verdict::could_not_look);
}
