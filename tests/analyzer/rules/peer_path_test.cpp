#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("peer-path", trace); }

// Ten copies of 40 MB each from GPU 0 to 1, then to 2, one after the other.
TraceBuilder copies(std::int64_t to_1, std::int64_t to_2) {
  TraceBuilder builder;
  std::int64_t at = 0, correlation = 0;
  for (const auto& [gpu, ns] : {std::pair(1, to_1), std::pair(2, to_2)}) {
    for (int i = 0; i < 10; ++i, at += ns + 10_us) {
      builder.api({.start = at, .end = at + 1_us, .name = "cudaMemcpyPeerAsync", .correlation = ++correlation});
      builder.copy({.start = at + 2_us, .end = at + 2_us + ns, .bytes = 40'000'000, .kind = CopyKind::peer_to_peer, .source = MemoryKind::device, .device = 0,
                    .correlation = correlation, .to = gpu});
    }
  }
  return builder;
}

}  // namespace

TEST_CASE("peer-path: pairs are told apart by their rates, and what they look like") {
  const Finding finding = look(copies(452_us, 5322_us).build());
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "Copies from GPU 0 to 2 run at 7.5 GB/s, from GPU 0 to 1 at 88.5 GB/s");
  CHECK(finding.why.find("GPU 0 to 1: 88.5 GB/s, as over 4 NVLinks; GPU 0 to 2: 7.5 GB/s, as over PCIe") != std::string::npos);
  CHECK(finding.predicted_speedup == Approx(57.9 / 9.2).epsilon(0.03));
}

TEST_CASE("peer-path: the trace's own links say it better") {
  auto builder = copies(452_us, 5322_us);
  builder.link({.kind = LinkKind::nvlink, .from = "gpu:0", .to = "gpu:1", .generation = 2, .width = 2, .bytes_per_s = 50'000'000'000});
  CHECK(look(builder.build()).why.find("GPU 0 to 1: 88.5 GB/s, 2 NVLinks; GPU 0 to 2: 7.5 GB/s, no NVLink of their own") != std::string::npos);
}

TEST_CASE("peer-path: from a factor of 1.5 on, between two pairs") {
  CHECK(look(copies(1000_us, 1490_us).build()).verdict == Verdict::nothing);
  CHECK(look(copies(1000_us, 1510_us).build()).verdict == Verdict::found);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).copy({.start = 2_us, .end = 1_ms, .bytes = 40'000'000, .kind = CopyKind::peer_to_peer, .correlation = 1, .to = 1}).build()).verdict ==
        Verdict::nothing);
}

TEST_CASE("peer-path: cannot look without copies") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict == Verdict::could_not_look);
}
