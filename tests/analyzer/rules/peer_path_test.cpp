#include <catch2/catch.hpp>
#include <string>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("peer-path", trace); }

// Ten copies of 40 MB each from GPU 0 to 1, then to 2, one after the other; the host asks for all of them at the start.
TraceBuilder copies(std::int64_t to_1, std::int64_t to_2) {
  TraceBuilder builder;
  std::int64_t at = 100_us, correlation = 0;
  for (const auto& [gpu, ns] : {std::pair(1, to_1), std::pair(2, to_2)}) {
    for (int i = 0; i < 10; ++i, at += ns + 10_us) {
      ++correlation;
      builder.api({.start = correlation * 2_us, .end = correlation * 2_us + 1_us, .name = "cudaMemcpyPeerAsync", .correlation = correlation});
      builder.copy({.start = at, .end = at + ns, .bytes = 40'000'000, .kind = CopyKind::peer_to_peer, .source = MemoryKind::device, .device = 0,
                    .correlation = correlation, .to = gpu});
    }
  }
  return builder;
}

Link nvlink(int gpu, int links) {
  return {.kind = LinkKind::nvlink, .from = "gpu:0", .to = "gpu:" + std::to_string(gpu), .generation = 2, .width = links, .bytes_per_s = links * std::int64_t{25'000'000'000}};
}

}  // namespace

TEST_CASE("peer-path: pairs are told apart by their rates, and what they look like") {
  const Finding finding = look(copies(452_us, 5322_us).build());
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "Copies from GPU 0 to 2 run at 7.5 GB/s, from GPU 0 to 1 at 88.5 GB/s");
  CHECK(finding.why.find("GPU 0 to 1: 88.5 GB/s, as over 4 NVLinks; GPU 0 to 2: 7.5 GB/s, as over PCIe") != std::string::npos);
  CHECK(finding.severity == Severity::info);  // how the machine is built
  CHECK(finding.recoverable_ns_per_step == 0);
}

TEST_CASE("peer-path: the trace's own links say it better") {
  auto builder = copies(452_us, 5322_us);
  builder.link({.kind = LinkKind::nvlink, .from = "gpu:0", .to = "gpu:1", .generation = 2, .width = 2, .bytes_per_s = 50'000'000'000});
  const Finding finding = look(builder.build());
  CHECK(finding.why.find("GPU 0 to 1: 88.5 GB/s, 2 NVLinks; GPU 0 to 2: 7.5 GB/s, no NVLink of their own") != std::string::npos);
  CHECK(finding.severity == Severity::info);
}

TEST_CASE("peer-path: silent where the trace says that the pairs are joined by different links") {
  auto builder = copies(1000_us, 2100_us);  // 40 and 19 GB/s
  builder.link(nvlink(1, 2)).link(nvlink(2, 1));
  CHECK(look(builder.build()).verdict == Verdict::nothing);
}

TEST_CASE("peer-path: silent where pairs over PCIe meet at different places of the tree") {
  const auto one_of_each = [](const char* of_2) {
    auto builder = copies(3200_us, 6400_us);  // 12.5 and 6.25 GB/s
    for (const auto& [gpu, at] : {std::pair("gpu:0", "switch:a"), std::pair("gpu:1", "switch:a"), std::pair("gpu:2", of_2), std::pair("switch:a", "root:0"), std::pair("switch:b", "root:0")})
      builder.link({.kind = LinkKind::pcie, .from = gpu, .to = at, .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
    return builder.build();
  };
  CHECK(look(one_of_each("switch:b")).verdict == Verdict::nothing);
  CHECK(look(one_of_each("switch:a")).verdict == Verdict::found);
}

TEST_CASE("peer-path: a pair slower than the others of its kind is a fault, from a factor of 1.5 on") {
  const auto of_kind = [](std::int64_t slower) {
    auto builder = copies(1000_us, slower);
    builder.link(nvlink(1, 2)).link(nvlink(2, 2));
    return look(builder.build());
  };
  CHECK(of_kind(1490_us).verdict == Verdict::nothing);
  const Finding finding = of_kind(1510_us);
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "Copies from GPU 0 to 2 run at 26.5 GB/s over NVLink 2.0 x2, which gives 40.0 GB/s");
  CHECK(finding.remedy == "even-out-peers");
  CHECK(finding.predicted_speedup == Approx(25.1 / 20.0).epsilon(0.02));
  CHECK(finding.severity == Severity::critical);
}

TEST_CASE("peer-path: a single slow copy among like ones is no slow pair") {
  auto builder = copies(1000_us, 1510_us);
  builder.link(nvlink(1, 2)).link(nvlink(2, 2));
  builder.api({.start = 30_ms, .end = 30_ms + 1_us, .name = "cudaMemcpyPeerAsync", .correlation = 99});
  builder.copy({.start = 30_ms + 2_us, .end = 31_ms, .bytes = 40'000'000, .kind = CopyKind::peer_to_peer, .source = MemoryKind::device, .device = 0, .correlation = 99, .to = 2});
  CHECK(look(builder.build()).verdict == Verdict::nothing);  // the others were held up: the link can do more
}

TEST_CASE("peer-path: data that went around the NVLink which joins the two is a fault without another pair to compare with") {
  const auto over = [](std::int64_t ns) {
    TraceBuilder builder;
    for (std::int64_t i = 0; i < 10; ++i) {
      builder.api({.start = i * 10_ms, .end = i * 10_ms + 1_us, .name = "cudaMemcpyPeerAsync", .correlation = i + 1});
      builder.copy({.start = i * 10_ms + 2_us, .end = i * 10_ms + 2_us + ns, .bytes = 40'000'000, .kind = CopyKind::peer_to_peer, .source = MemoryKind::device, .device = 0,
                    .correlation = i + 1, .to = 1});
    }
    builder.link(nvlink(1, 2));
    return look(builder.build());
  };
  CHECK(over(1480_us).verdict == Verdict::nothing);  // 27 of 40 GB/s that the link gives
  const Finding finding = over(6400_us);
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.why.find("went another way") != std::string::npos);
}

TEST_CASE("peer-path: a GPU with a slow link to the host is slow-link's, which says more") {
  const auto machine = [](bool slow_host) {
    TraceBuilder builder = copies(3200_us, 6400_us);
    for (const char* gpu : {"gpu:0", "gpu:1", "gpu:2"}) builder.link({.kind = LinkKind::pcie, .from = gpu, .to = "root:0", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
    for (int gpu = 0; gpu < 3; ++gpu)
      for (std::int64_t i = 0; i < 4; ++i) {
        const std::int64_t at = 50_ms + i * 1_ms, ns = slow_host && gpu == 2 ? 900_us : 300_us;
        builder.copy({.start = at, .end = at + ns, .bytes = 3'600'000, .source = MemoryKind::pinned, .device = gpu});
      }
    return look(builder.build());
  };
  CHECK(machine(false).verdict == Verdict::found);
  CHECK(machine(true).verdict == Verdict::nothing);
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
