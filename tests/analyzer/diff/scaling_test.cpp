#include "analyzer/diff/scaling.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "analyzer/diff/trace_diff.h"
#include "tests/support/trace_builder.h"

using namespace gputrace::analyzer;
using namespace gputrace::tests;
using gputrace::trace::MemoryKind;
using gputrace::trace::Trace;

namespace {

// Ten steps: on each GPU a copy, then a kernel, then nothing up to the step's end.
Trace loop(int gpus, std::int64_t copy_us, std::int64_t kernel_us, std::int64_t step_us) {
  TraceBuilder builder;
  for (std::int64_t step = 0; step < 10; ++step) {
    const std::int64_t at = step * step_us * 1_us;
    builder.step(at, at + step_us * 1_us);
    for (int gpu = 0; gpu < gpus; ++gpu) {
      builder.copy({.start = at, .end = at + copy_us * 1_us, .bytes = 1'000, .source = MemoryKind::pinned, .device = gpu});
      builder.kernel({.start = at + copy_us * 1_us, .end = at + (copy_us + kernel_us) * 1_us, .device = gpu});
    }
  }
  return builder.build();
}

double loss_of(const Scaling& scaling, const std::string& what) {
  for (const Scaling::Loss& loss : scaling.losses)
    if (loss.what == what) return loss.ns;
  return 0;
}

}  // namespace

TEST_CASE("two GPUs that share the work of one: what copies and idle time take of the gain") {
  const TraceDiff diff = diff_traces(loop(1, 100, 900, 1000), loop(2, 100, 450, 600));
  REQUIRE(diff.scaling);
  CHECK(diff.scaling->work == Scaling::Work::shared);
  CHECK(diff.scaling->ideal_ns == Approx(500'000));
  CHECK(diff.scaling->efficiency() == Approx(500.0 / 600));
  CHECK(loss_of(*diff.scaling, "copies that nothing hides") == Approx(50'000));
  CHECK(loss_of(*diff.scaling, "idle time") == Approx(50'000));
  const double sum = std::accumulate(diff.scaling->losses.begin(), diff.scaling->losses.end(), 0.0, [](double ns, const auto& loss) { return ns + loss.ns; });
  CHECK(sum == Approx(diff.scaling->actual_ns - diff.scaling->ideal_ns));
}

TEST_CASE("GPUs that each do what one did are held against its step") {
  const TraceDiff diff = diff_traces(loop(1, 100, 900, 1000), loop(4, 300, 900, 1250));
  REQUIRE(diff.scaling);
  CHECK(diff.scaling->work == Scaling::Work::repeated);
  CHECK(diff.scaling->efficiency() == Approx(0.8));
  CHECK(diff.scaling->losses.front().what == "copies that nothing hides");
}

TEST_CASE("other work, or as many GPUs, is no scaling") {
  CHECK_FALSE(diff_traces(loop(2, 100, 900, 1000), loop(2, 100, 450, 600)).scaling);
  CHECK(diff_traces(loop(1, 100, 900, 1000), loop(2, 100, 517, 700)).scaling);        // 14.9 % more in all
  CHECK_FALSE(diff_traces(loop(1, 100, 900, 1000), loop(2, 100, 518, 700)).scaling);  // 15.1 %
}
