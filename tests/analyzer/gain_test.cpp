#include "analyzer/gain.h"

#include <catch2/catch.hpp>

#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;

TEST_CASE("a change of time has as many digits as tell the two apart") {
  TraceBuilder builder;
  for (std::int64_t step = 0; step < 4; ++step) builder.step(step * 20_ms, (step + 1) * 20_ms).kernel({.start = step * 20_ms, .end = step * 20_ms + 10_ms});
  const auto trace = builder.build();
  const Metrics steps = measure(trace);
  CHECK(time_change(steps, 12.3e6, 19.7e6) == "a step takes 12.3 ms instead of 19.7 ms");
  CHECK(time_change(steps, 19.66e6, 19.74e6) == "a step takes 19.66 ms instead of 19.74 ms");
  CHECK(time_change(steps, 19.7301e6, 19.7304e6) == "a step takes 19.7301 ms instead of 19.7304 ms");
  CHECK(time_change(steps, 2.0001e9, 2.0002e9) == "a step takes 2.0001 s instead of 2.0002 s");
  CHECK(time_change(steps, 999e3, 1.02e6) == "a step takes 999 us instead of 1.0 ms");
  CHECK(time_change(steps, 19.7e6, 19.7e6) == "a step takes 19.7 ms as before");
}

TEST_CASE("bytes have a unit that shows them") {
  CHECK(gigabytes(8) == "8 bytes");
  CHECK(gigabytes(999) == "999 bytes");
  CHECK(gigabytes(1000) == "1.0 KB");
}

TEST_CASE("a change of time is of the work where there are no steps") {
  const auto trace = TraceBuilder{}.kernel({.start = 0, .end = 20_ms}).build();
  CHECK(time_change(measure(trace), 12.3e6, 19.7e6) == "the same work takes 12.3 ms instead of 19.7 ms");
}
