#include "analyzer/concurrency_limits.h"

#include <catch2/catch.hpp>
#include <map>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

TraceBuilder ten_sm_gpu() {
  TraceBuilder builder;
  builder.gpu({.device = {0}, .sm_count = 10, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32});
  return builder;
}

// On a GPU of 10 SMs that hold two such blocks each.
KernelEvent kernel(std::int64_t start, std::int64_t end, int stream, int blocks, std::int64_t correlation = 0) {
  return {.start = start, .end = end, .stream = stream, .grid = {blocks, 1, 1}, .block = {1024, 1, 1}, .registers = 16, .correlation = correlation};
}

ConcurrencyReport look(TraceBuilder& builder) {
  const Trace trace = builder.build();
  auto reports = concurrency_limits(trace, measure(trace));
  return reports[DeviceId{0}];
}

// Two kernels of 10 and 4 ms, the second launched `late` after 0; returns the reason that they did not overlap.
std::string reason(int first_stream, int second_stream, int first_blocks, std::int64_t launched = 1_ms) {
  TraceBuilder builder = ten_sm_gpu();
  builder.api({.start = 0, .end = 10, .correlation = 1}).api({.start = launched, .end = launched + 10, .correlation = 2});
  builder.kernel(kernel(20, 10_ms, first_stream, first_blocks, 1)).kernel(kernel(11_ms, 15_ms, second_stream, 4, 2));
  const ConcurrencyReport report = look(builder);
  REQUIRE(report.limits.size() == 1);
  CHECK(report.limits[0].pairs == 1);
  CHECK(report.limits[0].ns == 4_ms);  // the shorter of the two
  return report.limits[0].reason;
}

}  // namespace

TEST_CASE("concurrency: a kernel launched once the one before had ended could not run beside it, whatever its stream") {
  CHECK(reason(13, 13, 4, 10_ms) == "launched late");
  CHECK(reason(13, 13, 4, 10_ms - 1) == "same stream");
  CHECK(reason(13, 14, 20, 10_ms) == "launched late");
}

TEST_CASE("concurrency: a kernel that needs nine tenths of the resident blocks fills the GPU") {
  CHECK(reason(13, 14, 18) == "the first fills the GPU");
  CHECK(reason(13, 14, 17) == "unknown");
  CHECK(reason(13, 13, 18) == "the first fills the GPU");
  CHECK(reason(13, 13, 17) == "same stream");
}

namespace {

// Kernels that were all asked for at the start and take turns on the streams 7 and 13, `count` hand-overs; how many pairs the default
// stream explains.
std::int64_t taken_turns(int count, bool once_beside = false) {
  TraceBuilder builder = ten_sm_gpu();
  for (std::int64_t n = 0; n <= count; ++n) {
    builder.api({.start = n, .end = n + 1, .correlation = n + 1});
    builder.kernel(kernel((n + 1) * 1_ms, (n + 2) * 1_ms, n % 2 == 0 ? 7 : 13, 4, n + 1));
  }
  if (once_beside) builder.kernel(kernel(1_ms, 1_ms + 10, 13, 4));
  for (const ConcurrencyLimit& limit : look(builder).limits) {
    if (limit.reason == "default stream") return limit.pairs;
  }
  return 0;
}

}  // namespace

TEST_CASE("concurrency: the default stream is the reason where five hand-overs show that the streams take turns") {
  CHECK(taken_turns(5) == 5);
  CHECK(taken_turns(4) == 0);
}

TEST_CASE("concurrency: a stream that ran beside the default stream once does not wait for it") {
  CHECK(taken_turns(8) == 8);
  CHECK(taken_turns(8, true) == 0);
}

TEST_CASE("concurrency: kernels asked for shortly before they began show no hand-over") {
  TraceBuilder builder = ten_sm_gpu();
  for (std::int64_t n = 0; n < 20; ++n) {
    builder.api({.start = (n + 1) * 1_ms - 15_us, .end = (n + 1) * 1_ms - 10_us, .correlation = n + 1});
    builder.kernel(kernel((n + 1) * 1_ms, (n + 2) * 1_ms, n % 2 == 0 ? 7 : 13, 4, n + 1));
  }
  for (const ConcurrencyLimit& limit : look(builder).limits) CHECK(limit.reason == "unknown");
}

TEST_CASE("concurrency: a stream that was made to wait for an event before the launch depends on something") {
  const auto with_wait = [](std::int64_t wait_ns, int stream) {
    TraceBuilder builder = ten_sm_gpu();
    builder.api({.start = 0, .end = 10, .correlation = 1}).api({.start = 50, .end = 60, .correlation = 2}).api({.start = 100, .end = 110, .correlation = 3});
    builder.sync({.start = wait_ns, .end = wait_ns, .kind = SyncKind::stream_wait_event, .stream = stream});
    builder.kernel(kernel(60, 1_ms, 14, 4, 2)).kernel(kernel(2_ms, 10_ms, 13, 4, 1)).kernel(kernel(11_ms, 15_ms, 14, 4, 3));
    const ConcurrencyReport report = look(builder);
    std::map<std::string, std::int64_t> pairs;
    for (const ConcurrencyLimit& limit : report.limits) pairs[limit.reason] = limit.pairs;
    return pairs;
  };
  CHECK(with_wait(70, 14)["dependency"] == 1);
  CHECK(with_wait(70, 15)["dependency"] == 0);
  CHECK(with_wait(40, 14)["dependency"] == 0);   // for the launch before
  CHECK(with_wait(120, 14)["dependency"] == 0);  // for a later one
}

TEST_CASE("concurrency: a kernel behind a copy on its own stream waits for the copy") {
  TraceBuilder builder = ten_sm_gpu();
  builder.kernel(kernel(0, 10_ms, 13, 4)).copy({.start = 5_ms, .end = 11_ms, .bytes = 1, .stream = 14}).kernel(kernel(11_ms, 15_ms, 14, 4));
  CHECK(look(builder).limits.at(0).reason == "copy");
  TraceBuilder before = ten_sm_gpu();
  before.kernel(kernel(0, 10_ms, 13, 4)).copy({.start = 5_ms, .end = 9_ms, .bytes = 1, .stream = 14}).kernel(kernel(11_ms, 15_ms, 14, 4));
  CHECK(look(before).limits.at(0).reason == "unknown");
}

TEST_CASE("concurrency: nodes of one graph launch are ordered by the graph") {
  TraceBuilder builder = ten_sm_gpu();
  builder.kernel(kernel(0, 10_ms, 13, 4, 5)).kernel(kernel(10_ms, 15_ms, 13, 4, 5)).kernel(kernel(16_ms, 18_ms, 13, 4, 6));
  Trace trace = builder.build();
  trace.kernels.graph_node = {1, 2, 1};
  auto reports = concurrency_limits(trace, measure(trace));
  const auto& limits = reports.at(DeviceId{0}).limits;
  REQUIRE(limits.size() == 2);
  CHECK(limits[0].reason == "CUDA graph");
  CHECK(limits[1].reason == "same stream");
}

TEST_CASE("concurrency: a kernel is compared with the one before that ended last; collectives are left out") {
  TraceBuilder builder = ten_sm_gpu();
  builder.kernel(kernel(0, 10_ms, 13, 4)).kernel(kernel(1_ms, 2_ms, 14, 4)).kernel(kernel(5_ms, 6_ms, 14, 4)).kernel(kernel(10_ms, 12_ms, 13, 4));
  builder.kernel({.start = 10_ms, .end = 30_ms, .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", .stream = 20});
  const ConcurrencyReport report = look(builder);
  CHECK(report.overlapping_pairs == 2);
  REQUIRE(report.limits.size() == 1);
  CHECK(report.limits[0].reason == "same stream");
  CHECK(report.limits[0].ns == 2_ms);
}

TEST_CASE("concurrency: what more streams would win is bounded by the longest kernel and by the SMs") {
  const auto win = [](int blocks, int count, std::int64_t last_ms) {
    TraceBuilder builder = ten_sm_gpu();
    std::int64_t start = 0;
    for (int n = 0; n < count; ++n) {
      const std::int64_t end = start + (n + 1 == count ? last_ms * 1_ms : 1_ms);
      builder.kernel(kernel(start, end, 13, blocks));
      start = end;
    }
    return look(builder).streams_win_at_most_ns;
  };
  CHECK(win(2, 4, 1) == 3_ms);    // a tenth of the GPU each: all four beside each other
  CHECK(win(10, 4, 1) == 2_ms);   // half of it: two at a time
  CHECK(win(2, 4, 9) == 3_ms);    // the longest one remains
  CHECK(win(20, 4, 1) == 0);      // full
  CHECK(win(2, 1, 1) == 0);
}

TEST_CASE("concurrency: what is not kept apart by a stream is not won by streams") {
  TraceBuilder builder = ten_sm_gpu();
  for (std::int64_t n = 0; n < 10; ++n) {
    builder.api({.start = n * 2_ms, .end = n * 2_ms + 10, .correlation = n + 1});
    builder.kernel(kernel(n * 2_ms + 20, n * 2_ms + 1_ms, 13, 2, n + 1));
  }
  const ConcurrencyReport report = look(builder);
  CHECK(report.limits.at(0).reason == "launched late");
  CHECK(report.streams_win_at_most_ns == 0);
}

TEST_CASE("concurrency: without the GPU's size no bound is known; without kernels there is no report") {
  TraceBuilder builder;
  builder.kernel(kernel(0, 1_ms, 13, 2)).kernel(kernel(1_ms, 2_ms, 13, 2));
  const ConcurrencyReport report = look(builder);
  CHECK_FALSE(report.fill_known);
  CHECK(report.limits.at(0).reason == "same stream");
  const Trace none = TraceBuilder{}.captured(Table::kernels).build();
  CHECK(concurrency_limits(none, measure(none)).empty());
}
