#include "analyzer/steps.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::Span;

TEST_CASE("steps come from NVTX ranges that are called so") {
  const auto trace = TraceBuilder{}
                         .range({.start = 0_ms, .end = 10_ms, .text = "Iteration #1"})
                         .range({.start = 2_ms, .end = 4_ms, .text = "forward"})
                         .range({.start = 10_ms, .end = 21_ms, .text = "Iteration #2"})
                         .build();
  const Steps steps = find_steps(trace);
  CHECK(steps.source == StepSource::nvtx);
  CHECK(steps.spans == std::vector<Span>{{0_ms, 10_ms}, {10_ms, 21_ms}});
  CHECK(steps.median_ns == 11_ms);
}

TEST_CASE("a domain called step makes its ranges steps, whatever they say") {
  const auto trace = TraceBuilder{}
                         .range({.start = 0_ms, .end = 10_ms, .text = "batch 1", .domain = "step"})
                         .range({.start = 10_ms, .end = 20_ms, .text = "batch 2", .domain = "step"})
                         .build();
  CHECK(find_steps(trace).spans.size() == 2);
}

TEST_CASE("no steps are made of one range, of ranges that overlap, of open ranges, or of other names") {
  CHECK(find_steps(TraceBuilder{}.step(0_ms, 10_ms).build()).source == StepSource::none);
  CHECK(find_steps(TraceBuilder{}.step(0_ms, 10_ms).step(9_ms, 20_ms).build()).source == StepSource::none);
  CHECK(find_steps(TraceBuilder{}.step(0_ms, 10_ms).step(10_ms, gputrace::trace::kNoEnd).build()).source == StepSource::none);
  CHECK(find_steps(TraceBuilder{}
                       .range({.start = 0_ms, .end = 1_ms, .text = "stepping stone 1"})
                       .range({.start = 1_ms, .end = 2_ms, .text = "stepping stone 2"})
                       .build())
            .source == StepSource::none);
}

TEST_CASE("slow first steps are warm-up, just above the limit and not just below") {
  const auto first_step = [](std::int64_t duration) {
    TraceBuilder builder;
    std::int64_t at = 0;
    builder.step(at, duration);
    at = duration;
    for (int i = 0; i < 7; ++i, at += 100_ms) builder.step(at, at + 100_ms);
    return find_steps(builder.build()).warm_up;
  };
  CHECK(first_step(121_ms) == 1);
  CHECK(first_step(119_ms) == 0);
}

TEST_CASE("warm-up is at most a quarter of the steps") {
  TraceBuilder builder;
  std::int64_t at = 0;
  for (const std::int64_t duration : {900_ms, 800_ms, 700_ms, 100_ms, 100_ms, 100_ms, 100_ms, 100_ms}) {
    builder.step(at, at + duration);
    at += duration;
  }
  CHECK(find_steps(builder.build()).warm_up == 2);
}

TEST_CASE("without steps the window begins with the first kernel: the uploads before it are start-up") {
  const auto trace = TraceBuilder{}
                         .copy({.start = 0_ms, .end = 500_ms, .bytes = 1000})
                         .kernel({.start = 500_ms, .end = 600_ms})
                         .copy({.start = 600_ms, .end = 650_ms, .bytes = 1000})
                         .build();
  CHECK(analysis_window(trace, find_steps(trace)) == Span{500_ms, 650_ms});
}

TEST_CASE("a result that is read back before the first kernel is work, not start-up") {
  const auto trace = TraceBuilder{}
                         .copy({.start = 0_ms, .end = 500_ms, .bytes = 1000})
                         .copy({.start = 510_ms, .end = 511_ms, .bytes = 4, .kind = gputrace::trace::CopyKind::device_to_host})
                         .kernel({.start = 600_ms, .end = 700_ms})
                         .build();
  CHECK(analysis_window(trace, find_steps(trace)) == Span{510_ms, 700_ms});
}

TEST_CASE("ranges that say what a step is are sure, repeating kernels as far as they repeat and last as long") {
  CHECK(find_steps(TraceBuilder{}.step(0, 10_ms).step(10_ms, 20_ms).build()).certainty == 1);
  CHECK(find_steps(TraceBuilder{}.build()).certainty == 0);
  TraceBuilder builder;
  std::int64_t now = 0;
  for (int unit = 0; unit < 10; ++unit) {
    for (const char* name : {"a", "b", "c", "d"}) {
      const std::int64_t ns = unit == 4 ? 3_ms : 1_ms;  // one odd step
      builder.kernel({.start = now, .end = now + ns, .name = name});
      now += ns;
    }
  }
  const Steps steps = find_steps(builder.build());
  CHECK(steps.source == StepSource::periodicity);
  CHECK(steps.certainty == Approx(0.9));
}
