#include "analyzer/diff/bootstrap.h"

#include <catch2/catch.hpp>

using namespace gputrace::analyzer;

namespace {

// `count` steps of `middle` give or take `spread`, evenly spread.
std::vector<std::int64_t> steps(std::int64_t middle, std::int64_t spread, std::int64_t count = 41) {
  std::vector<std::int64_t> durations;
  for (std::int64_t i = 0; i < count; ++i)
    durations.push_back(middle - spread + 2 * spread * i / (count - 1));
  return durations;
}

}  // namespace

TEST_CASE("the change is that of the medians, and its interval holds it") {
  const MedianChange change = median_change(steps(1000, 100), steps(1100, 100));
  CHECK(change.change == Approx(0.1));
  CHECK(change.interval.low < 0.1);
  CHECK(change.interval.high > 0.1);
  CHECK(change.interval.low > 0);
  CHECK(change.standard_error > 0);
}

TEST_CASE(
    "the interval holds zero where the steps vary by more than the change, and not where they vary by less") {
  CHECK(median_change(steps(1000, 300), steps(1020, 300)).interval.low < 0);
  CHECK(median_change(steps(1000, 3), steps(1020, 3)).interval.low > 0);
}

TEST_CASE("more steps give a narrower interval") {
  const auto width = [](const Interval& interval) { return interval.high - interval.low; };
  CHECK(width(median_change(steps(1000, 100, 401), steps(1000, 100, 401)).interval) <
        width(median_change(steps(1000, 100, 21), steps(1000, 100, 21)).interval));
}

TEST_CASE("the same steps give the same answer each time") {
  const MedianChange a = median_change(steps(1000, 100), steps(1010, 90)),
                     b = median_change(steps(1000, 100), steps(1010, 90));
  CHECK(a.interval.low == b.interval.low);
  CHECK(a.interval.high == b.interval.high);
  CHECK(a.standard_error == b.standard_error);
}

TEST_CASE("a million steps are thinned, and the change stays that of all") {
  const MedianChange change =
      median_change(steps(1'000'000, 90'000, 1'000'001), steps(1'100'000, 90'000, 1'000'001));
  CHECK(change.change == Approx(0.1).epsilon(1e-5));
  CHECK(change.interval.low < 0.1);
  CHECK(change.interval.high > 0.1);
}

TEST_CASE("one step each has no spread") {
  const MedianChange change = median_change({100}, {150});
  CHECK(change.change == Approx(0.5));
  CHECK(change.interval.low == change.interval.high);
  CHECK(change.standard_error == Approx(0).margin(1e-12));
}
