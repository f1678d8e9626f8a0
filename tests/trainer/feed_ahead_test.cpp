// A batch that is copied while the step before computes.
#include "trainer/feed_ahead.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "recorded_run.h"

using namespace trainer;
using trainer::test::recorded_run;

namespace {

auto run_of(std::vector<const char*> more, const char* arithmetic = "off") {
  std::vector<const char*> arguments = {"--model", "mlp", "--gpus", "1", "--update", "all-reduce", "--steps", "4", "--batch", "1", "--pinned", "on", "--arithmetic", arithmetic};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return recorded_run(arguments);
}

// Copies from the host that lie wholly inside a step's kernels.
std::ptrdiff_t copies_beside_kernels(const test::RecordedRun& run) {
  const auto& kernels = run.recorder.kernels;
  return std::count_if(run.recorder.copies.begin(), run.recorder.copies.end(), [&](const auto& copy) {
    if (copy.from == Memory::device) return false;
    return std::any_of(kernels.begin(), kernels.end(), [&](const auto& kernel) { return kernel.start_ns < copy.end_ns && copy.start_ns < kernel.end_ns; });
  });
}

}  // namespace

TEST_CASE("a batch that is fed ahead is copied beside kernels, and a step is shorter by it") {
  const auto ahead = run_of({"--feed-ahead", "on"}), plain = run_of({});
  CHECK(copies_beside_kernels(*plain) == 0);
  CHECK(copies_beside_kernels(*ahead) >= 3);
  CHECK(ahead->summary.median_step_ns < plain->summary.median_step_ns);
}

TEST_CASE("what is computed is the same with a batch that is fed ahead") {
  const auto ahead = run_of({"--feed-ahead", "on"}, "on"), plain = run_of({}, "on");
  REQUIRE(plain->summary.losses.size() == 4);
  CHECK(plain->summary.losses[0] != plain->summary.losses[3]);
  CHECK(ahead->summary.losses == plain->summary.losses);
}
