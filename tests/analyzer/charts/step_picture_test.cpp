#include "analyzer/charts/step_picture.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::analyzer;
using namespace gputrace::tests;

namespace {

StepPicture picture(const trace::Trace& trace, const std::vector<Finding>& findings = {}) {
  return step_picture(trace, measure(trace), findings, {});
}

TraceBuilder steps(int n, std::int64_t length = 100_ms) {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < n; ++i) {
    builder.step(i * length, (i + 1) * length).kernel({.start = i * length + 10_ms, .end = i * length + 60_ms, .name = "sgemm"});
  }
  return builder;
}

const Lane* lane(const StepPicture& of, LaneKind kind, int device = 0) {
  const auto found = std::find_if(of.lanes.begin(), of.lanes.end(), [=](const Lane& one) {
    return one.kind == kind && (kind == LaneKind::host || one.device == trace::DeviceId{device});
  });
  return found == of.lanes.end() ? nullptr : &*found;
}

Finding found(trace::Span evidence) {
  Finding finding;
  finding.verdict = Verdict::found;
  finding.evidence = {{evidence, trace::DeviceId{0}, "here"}};
  return finding;
}

std::size_t spans_of(const StepPicture& of) {
  std::size_t n = 0;
  for (const Lane& one : of.lanes) n += one.spans.size();
  return n;
}

}  // namespace

TEST_CASE("picture: the step with the first finding's evidence, not one that is no typical step") {
  CHECK(picture(steps(8).build(), {found({510_ms, 520_ms})}).step == 5u);
  auto builder = steps(8);
  builder.step(800_ms, 910_ms).kernel({.start = 800_ms, .end = 850_ms});  // 10 % longer than the median
  const auto trace = builder.build();
  CHECK(picture(trace, {found({801_ms, 802_ms})}).step != 8u);
  CHECK(picture(trace, {found({801_ms, 802_ms}), found({310_ms, 320_ms})}).step == 3u);
}

TEST_CASE("picture: lanes of a GPU by what runs, clipped to the step") {
  auto builder = steps(8);
  builder.copy({.start = 350_ms, .end = 430_ms, .bytes = 1})
      .kernel({.start = 470_ms, .end = 480_ms, .name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"});
  const auto of = picture(builder.build(), {found({410_ms, 420_ms})});
  REQUIRE(of.step == 4u);
  CHECK(of.span == trace::Span{400_ms, 500_ms});
  REQUIRE(lane(of, LaneKind::copy) != nullptr);
  CHECK(lane(of, LaneKind::copy)->spans.at(0).span == trace::Span{400_ms, 430_ms});
  CHECK(lane(of, LaneKind::copy)->spans.at(0).text == "host to device");
  CHECK(lane(of, LaneKind::communication)->spans.size() == 1);
  CHECK(lane(of, LaneKind::compute)->spans.at(0).text == "sgemm");
  CHECK(lane(of, LaneKind::compute)->spans.size() == 1);
}

TEST_CASE("picture: the host's lane has the outermost ranges inside the step, or the calls of a thread without any") {
  auto builder = steps(4);
  for (std::int64_t i = 0; i < 4; ++i) {
    builder.range({.start = i * 100_ms + 5_ms, .end = i * 100_ms + 50_ms, .text = "forward"})
        .range({.start = i * 100_ms + 6_ms, .end = i * 100_ms + 9_ms, .text = "layer"});
  }
  builder.api({.start = 211_ms, .end = 215_ms, .name = "cudaMemcpy", .correlation = 9, .thread = 1});
  const auto of = picture(builder.build(), {found({210_ms, 220_ms})});
  REQUIRE(of.step == 2u);
  std::vector<std::string> texts;
  for (const Lane& one : of.lanes) {
    if (one.kind != LaneKind::host) continue;
    for (const LaneSpan& span : one.spans) texts.push_back(span.text);
  }
  CHECK(texts == std::vector<std::string>{"forward", "cudaMemcpy"});
}

TEST_CASE("picture: a GPU that only waits is an empty lane") {
  auto builder = steps(4);
  builder.kernel({.start = 1_ms, .end = 2_ms, .device = 1});
  const auto of = picture(builder.build(), {found({310_ms, 320_ms})});
  REQUIRE(lane(of, LaneKind::compute, 1) != nullptr);
  CHECK(lane(of, LaneKind::compute, 1)->spans.empty());
}

TEST_CASE("picture: millions of short events stay small enough to draw, and no time is lost") {
  TraceBuilder builder;
  for (std::int64_t i = 0; i < 200'000; ++i) builder.kernel({.start = i * 1_us, .end = i * 1_us + 600, .stream = 7});
  for (std::int64_t i = 0; i < 1'000; ++i) builder.kernel({.start = i * 200_us, .end = i * 200_us + 600, .device = 1});
  const auto of = picture(builder.build());
  CHECK(spans_of(of) <= kMostLaneSpans);
  std::int64_t events = 0, busy_ns = 0;
  for (const LaneSpan& span : lane(of, LaneKind::compute)->spans) events += span.events, busy_ns += span.busy_ns;
  CHECK(events == 200'000);
  CHECK(busy_ns == 200'000 * 600);
}

TEST_CASE("picture: without steps it is the window; without anything there is none") {
  const auto of = picture(TraceBuilder{}.kernel({.start = 5, .end = 10}).kernel({.start = 100, .end = 110}).build());
  CHECK_FALSE(of.step);
  CHECK(of.span == trace::Span{5, 110});
  CHECK(picture(TraceBuilder{}.build()).lanes.empty());
}
