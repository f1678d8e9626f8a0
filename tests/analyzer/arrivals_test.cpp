#include "analyzer/arrivals.h"

#include <catch2/catch.hpp>

#include "tests/analyzer/rules/kernel_names.h"
#include "tests/analyzer/rules/rule_runner.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using namespace gputrace::trace;

namespace {

// An all-reduce on three GPUs that come to it at 0, 2 and `last`, and end together at 10 ms.
TraceBuilder all_reduce(std::int64_t last, std::int64_t at = 0) {
  TraceBuilder builder;
  builder.kernel({.start = at, .end = at + 10_ms, .name = kAllReduce, .device = 0});
  builder.kernel({.start = at + 2_ms, .end = at + 10_ms, .name = kAllReduce, .device = 1});
  builder.kernel({.start = at + last, .end = at + 10_ms, .name = kAllReduce, .device = 2});
  return builder;
}

std::vector<Arrivals> collectives_of(const Trace& trace) { return find_arrivals(trace, measure(trace)); }

}  // namespace

TEST_CASE("arrivals: the last GPU to come is the one with the shortest kernel") {
  const Trace trace = all_reduce(9_ms).build();
  const auto found = collectives_of(trace);
  REQUIRE(found.size() == 1);
  CHECK(trace.kernels.device[found[0].last()] == DeviceId{2});
  CHECK(found[0].late_ns == 7_ms);
  CHECK(found[0].waited_ns == 8_ms);
  const auto late = late_gpus(trace, found, 0);
  REQUIRE(late.size() == 1);
  CHECK(late[0].device == DeviceId{2});
  CHECK(late[0].last_to == 1);
  CHECK(late_gpus(trace, found, 8_ms).empty());
  CHECK(late_gpus(trace, found, 7_ms).size() == 1);
}

TEST_CASE("arrivals: kernels belong together where all run at some instant") {
  TraceBuilder builder = all_reduce(9_ms);
  builder.kernel({.start = 12_ms, .end = 14_ms, .name = kAllReduce, .device = 0});
  builder.kernel({.start = 13_ms, .end = 14_ms, .name = kAllReduce, .device = 1});
  builder.kernel({.start = 15_ms, .end = 16_ms, .name = kAllReduce, .device = 0});  // alone: its peers are not in the trace
  const auto found = collectives_of(builder.build());
  REQUIRE(found.size() == 2);
  CHECK(found[1].kernels.size() == 2);
  CHECK(collectives_of(TraceBuilder{}.kernel({.start = 0, .end = 1_ms}).build()).empty());
}

TEST_CASE("straggler: hidden by an all-reduce, the rank that spends none in it while the others wait") {
  // Four GPUs whose backward passes all end at 293 ms; the host of GPU 2 works 200 ms before it launches its own.
  TraceBuilder builder;
  std::int64_t correlation = 0;
  for (int step = 0; step < 3; ++step) {
    const std::int64_t at = step * 300_ms;
    for (int gpu = 0; gpu < 4; ++gpu) {
      const std::int64_t begin = at + (gpu == 2 ? 200_ms : 0);
      builder.api({.start = begin, .end = begin + 5_us, .correlation = ++correlation, .thread = gpu});
      builder.kernel({.start = begin + 5_us, .end = begin + 90_ms, .name = kSgemm, .device = gpu, .correlation = correlation});
      builder.api({.start = begin + 10_us, .end = begin + 15_us, .correlation = ++correlation, .thread = gpu});
      builder.kernel({.start = begin + 90_ms, .end = at + 293_ms, .name = kAllReduce, .device = gpu, .stream = 9, .correlation = correlation});
    }
    builder.step(at, at + 300_ms);
  }
  const Finding finding = run_rule("straggler", builder.build());
  REQUIRE(finding.verdict == Verdict::found);
  CHECK(finding.title == "A straggler: GPU 2 comes last to 3 of 3 collectives, and the others wait 200.0 ms for it per step");
  CHECK(finding.predicted_speedup == Approx(300.0 / 100).epsilon(0.01));
}

TEST_CASE("straggler: by collectives, from 1 % of the step on, and not within what the clocks are known to agree") {
  const auto look = [](std::int64_t last, std::int64_t residual_ns) {
    TraceBuilder builder;
    builder.api({.start = 0, .end = 1_us, .correlation = 1});
    builder.kernel({.start = 0, .end = 10_ms, .name = kAllReduce, .device = 0, .correlation = 1});
    builder.kernel({.start = last, .end = 10_ms, .name = kAllReduce, .device = 1});
    Trace trace = builder.build();
    trace.clocks = {{.process = ProcessIndex{0}, .residual_ns = residual_ns}};
    return run_rule("straggler", trace).verdict;
  };
  CHECK(look(99_us, 0) == Verdict::nothing);
  CHECK(look(101_us, 0) == Verdict::found);
  CHECK(look(1_ms, 990_us) == Verdict::found);
  CHECK(look(1_ms, 1010_us) == Verdict::nothing);
}
