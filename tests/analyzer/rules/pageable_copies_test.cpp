#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/training_loop.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

Finding look(const Trace& trace) { return run_rule("pageable-copies", trace); }

// 12.6 MB a step, a millisecond at 80 % of PCIe 3.0 x16, which takes 4 ms from pageable memory; then a kernel.
Trace loop(bool pageable, std::int64_t kernel = 2_ms) {
  TrainingLoop loop;
  loop.builder().link({.kind = LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 15'750'000'000});
  for (int step = 0; step < 6; ++step) {
    loop.copy(0, 12'600'000, 4_ms, pageable);
    loop.launch(0, kernel);
    loop.end_step();
  }
  return loop.build();
}

}  // namespace

TEST_CASE("pageable-copies: from pinned memory they take the link's time") {
  const Finding finding = look(loop(true));
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(6.0 / 3.0).epsilon(0.02));
  CHECK(finding.title == "Copies of 12.6 MB per step use pageable host memory");
}

TEST_CASE("pageable-copies: silent on pinned memory, and where they cost less than 1 %") {
  CHECK(look(loop(false)).verdict == Verdict::nothing);
  CHECK(look(loop(true, 310_ms)).verdict == Verdict::nothing);
  CHECK(look(loop(true, 280_ms)).verdict == Verdict::found);
}

TEST_CASE("pageable-copies: a copy that is staged before it begins does not leave that gap once its memory is pinned") {
  // As the driver does it: each call fills a buffer for 250 us while the copy before still runs, and returns before its own is over.
  const auto copies = [](std::int64_t staging) {
    TraceBuilder builder;
    builder.link({.kind = LinkKind::pcie, .from = "gpu:0", .to = "root:0000:00", .generation = 3, .width = 16, .bytes_per_s = 5'250'000'000});
    builder.api({.start = 0, .end = 5_us, .correlation = 1000}).kernel({.start = 5_us, .end = 10_us, .correlation = 1000});
    for (std::int64_t i = 0; i < 50; ++i) {
      const std::int64_t call = 10_us + i * (1000_us + staging), begin = call + staging;
      builder.api({.start = call, .end = begin + 900_us, .name = "cudaMemcpyAsync", .correlation = i + 1});
      builder.copy({.start = begin, .end = begin + 1000_us, .bytes = 4'200'000, .source = MemoryKind::pageable, .stream = 9, .correlation = i + 1});
    }
    return look(builder.build());
  };
  const Finding finding = copies(250_us);
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.predicted_speedup == Approx(1.25).epsilon(0.02));  // the link's 4.2 GB/s is what they had
  CHECK(copies(5_us).verdict == Verdict::nothing);
}

namespace {

// Copies of 4 MB back to the host on a stream of their own, then as many to the GPU on another one.
Finding both_ways(std::int64_t to_host_ns, std::int64_t to_gpu_ns) {
  TraceBuilder builder;
  builder.api({.start = 0, .end = 5_us, .correlation = 1000}).kernel({.start = 5_us, .end = 10_us, .correlation = 1000});
  std::int64_t at = 10_us, correlation = 0;
  for (const CopyKind kind : {CopyKind::device_to_host, CopyKind::host_to_device}) {
    const bool to_host = kind == CopyKind::device_to_host;
    const std::int64_t ns = to_host ? to_host_ns : to_gpu_ns;
    for (int i = 0; i < 20; ++i, at += ns + 10_us) {
      builder.api({.start = at, .end = at + ns + 5_us, .name = "cudaMemcpyAsync", .correlation = ++correlation});
      builder.copy({.start = at + 2_us, .end = at + 2_us + ns, .bytes = 4'200'000, .kind = kind, .source = to_host ? MemoryKind::device : MemoryKind::pageable,
                    .destination = to_host ? MemoryKind::pageable : MemoryKind::device, .stream = to_host ? 8 : 9, .correlation = correlation});
    }
  }
  return look(builder.build());
}

}  // namespace

TEST_CASE("pageable-copies: says which streams get their work late, and what each direction alone would win") {
  const Finding finding = both_ways(2_ms, 1_ms);
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.why.find("hands out the work of 1 other stream only then. Blocking copies to the host are most of what stops") != std::string::npos);
  CHECK(finding.why.find("With the copies to the host alone pinned") != std::string::npos);
  CHECK(both_ways(1_ms, 2_ms).why.find("Blocking copies to the host") == std::string::npos);
}

TEST_CASE("pageable-copies: copies on the stream of all other work hold up no other stream") {
  CHECK(look(loop(true)).why.find("other stream") == std::string::npos);
  CHECK(look(loop(true)).why.find("alone pinned") == std::string::npos);
}

TEST_CASE("pageable-copies: cannot look without copies") {
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_us, .correlation = 1}).kernel({.start = 0, .end = 1_ms, .correlation = 1}).build()).verdict ==
        Verdict::could_not_look);
}

TEST_CASE("pageable-copies: cannot look without API calls, without GPU work, or with graphs captured whole") {
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.api({.start = 0, .end = 1_ms}).kernel({.start = 0, .end = 1_ms}).graph({.start = 0, .end = 1_ms}).build()).verdict ==
        Verdict::could_not_look);
}
