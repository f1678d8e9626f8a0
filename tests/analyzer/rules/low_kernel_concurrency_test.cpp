#include <catch2/catch.hpp>

#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

constexpr Dim3 kFull{400, 1, 1}, kSmall{4, 1, 1};

TraceBuilder ten_sm_gpu() {
  TraceBuilder builder;
  builder.gpu({.device = {0}, .sm_count = 10, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32});
  return builder;
}

// Kernels back to back for 100 ms; the first `small_ms` of them use a fifth of the GPU.
TraceBuilder back_to_back(std::int64_t small_ms, int streams = 1) {
  TraceBuilder builder = ten_sm_gpu();
  for (std::int64_t i = 0; i < 100; ++i) {
    builder.kernel({.start = i * 1_ms, .end = (i + 1) * 1_ms, .stream = 7 + static_cast<int>(i % streams),
                    .grid = i < small_ms ? kSmall : kFull, .block = {1024, 1, 1}, .registers = 16});
  }
  return builder;
}

Finding look(const Trace& trace) { return run_rule("low-kernel-concurrency", trace); }

}  // namespace

TEST_CASE("low-kernel-concurrency: found where small kernels leave a tenth of the time's capacity free") {
  // A kernel of 4 blocks leaves 80 % of 20 slots free: 13 ms of them are 10.4 % of 100 ms, 12 ms are 9.6 %.
  CHECK(look(back_to_back(13).build()).verdict == Verdict::found);
  CHECK(look(back_to_back(12).build()).verdict == Verdict::nothing);
}

TEST_CASE("low-kernel-concurrency: the room that small kernels leave is a bound, not a gain") {
  const Finding finding = look(back_to_back(50).build());
  CHECK(finding.recoverable_ns_per_step == 0);
  CHECK(finding.severity == Severity::info);
  CHECK(finding.why.find("40.0 ms shorter at the very best") != std::string::npos);
  CHECK(finding.why.find("on one stream") != std::string::npos);
  CHECK(look(back_to_back(50, 2).build()).why.find("2 streams") != std::string::npos);
}

TEST_CASE("low-kernel-concurrency: silent where kernels do overlap, or fill the GPU") {
  TraceBuilder builder = back_to_back(50);
  builder.kernel({.start = 0_ms, .end = 6_ms, .stream = 9, .grid = kSmall});
  CHECK(look(builder.build()).verdict == Verdict::nothing);
  CHECK(look(back_to_back(0).build()).verdict == Verdict::nothing);
}

TEST_CASE("low-kernel-concurrency: a GPU that waits for launches has room, and streams do not win it back") {
  TraceBuilder builder = ten_sm_gpu();
  for (std::int64_t i = 0; i < 50; ++i) {
    const std::int64_t start = i * 400_us + 200_us;
    builder.kernel({.start = start, .end = start + 200_us, .grid = kFull, .block = {1024, 1, 1}, .correlation = i + 1});
    builder.api({.start = start - 10_us, .end = start - 5_us, .correlation = i + 1});
  }
  const Finding finding = look(builder.build());
  CHECK(finding.verdict == Verdict::found);
  CHECK(finding.recoverable_ns_per_step == 0);
  CHECK(finding.severity == Severity::info);
  CHECK(finding.why.find("has not launched") != std::string::npos);
}

TEST_CASE("low-kernel-concurrency: cannot look without kernels, or without the GPU's size") {
  CHECK(look(TraceBuilder{}.captured(Table::copies).build()).verdict == Verdict::could_not_look);
  CHECK(look(TraceBuilder{}.kernel({.start = 0, .end = 1}).build()).verdict == Verdict::could_not_look);
}
