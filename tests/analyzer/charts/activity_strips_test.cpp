#include "analyzer/charts/activity_strips.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace;
using namespace gputrace::tests;

namespace {

constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

std::vector<analyzer::ActivityStrip> strips(const trace::Trace& trace, trace::Span span) {
  return analyzer::activity_strips(trace, analyzer::measure(trace), span);
}

// The shares of all stretches, weighed by their equal lengths.
template <class Of>
double mean(const analyzer::ActivityStrip& strip, Of of) {
  double sum = 0;
  for (const auto& stretch : strip.stretches) sum += double{of(stretch)};
  return sum / static_cast<double>(strip.stretches.size());
}

}  // namespace

TEST_CASE("activity: the stretches of a GPU hold what ran in each") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0_ms, .end = 100_ms})
                         .kernel({.start = 200_ms, .end = 250_ms, .name = kAllReduce})
                         .copy({.start = 300_ms, .end = 400_ms, .bytes = 1})
                         .build();
  const auto all = strips(trace, {0, 400_ms});
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].stretches.size() == analyzer::kStretches);
  const auto& stretches = all[0].stretches;
  CHECK(stretches[0].compute == 1);
  CHECK(stretches[analyzer::kStretches / 4 - 1].compute == 1);
  CHECK(stretches[analyzer::kStretches / 4].compute == 0);
  CHECK(stretches.back().copy == 1);
  CHECK(mean(all[0], [](const auto& s) { return s.compute; }) == Approx(0.25));
  CHECK(mean(all[0], [](const auto& s) { return s.communication; }) == Approx(0.125));
  CHECK(mean(all[0], [](const auto& s) { return s.copy; }) == Approx(0.25));
}

TEST_CASE("activity: kernels side by side count once, and what lies outside not at all") {
  const auto trace = TraceBuilder{}
                         .kernel({.start = 0_ms, .end = 60_ms, .stream = 1})
                         .kernel({.start = 10_ms, .end = 30_ms, .stream = 2})
                         .kernel({.start = 50_ms, .end = 500_ms, .stream = 3})
                         .build();
  const auto all = strips(trace, {20_ms, 100_ms});
  CHECK(mean(all.at(0), [](const auto& s) { return s.compute; }) == Approx(1.0));
}

TEST_CASE("activity: a kernel shorter than a stretch fills its share of it") {
  const auto trace = TraceBuilder{}.kernel({.start = 0, .end = 250_ns}).build();
  const auto all = strips(trace, {0, 400_us});
  CHECK(all.at(0).stretches[0].compute == Approx(0.25));
  CHECK(all.at(0).stretches[1].compute == 0);
}

TEST_CASE("activity: graphs recorded as a whole compute, whatever kernels come after them") {
  const auto trace =
      TraceBuilder{}.graph({.start = 0_ms, .end = 50_ms}).kernel({.start = 90_ms, .end = 100_ms}).build();
  CHECK(mean(strips(trace, {0, 100_ms}).at(0), [](const auto& s) { return s.compute; }) == Approx(0.6));
}

TEST_CASE("activity: without work on a GPU, or without time, there is no strip") {
  CHECK(strips(TraceBuilder{}.build(), {0, 100}).empty());
  CHECK(strips(TraceBuilder{}.kernel({.start = 0, .end = 0}).build(), {0, 0}).empty());
}
