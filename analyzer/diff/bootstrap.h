// How sure a change of step time is, from the steps themselves.
#pragma once

#include <cstdint>
#include <vector>

namespace gputrace::analyzer {

struct Interval {
  double low = 0, high = 0;
};

// Of the relative change of the median from `before` to `after`: 0.1 is 10 % longer.
struct MedianChange {
  double change = 0;
  Interval interval;          // 95 %, percentile bootstrap (Efron 1979)
  double standard_error = 0;  // of `change`: the standard deviation over the resamples
};

// Both with at least one value, all above 0. The same values give the same answer: the random numbers start
// from a fixed seed. Steps are resampled one by one, so what changes from run to run, and not within one, is
// not in the interval. At most 4,096 steps of each are resampled, so that a trace of a million takes well
// under a second.
MedianChange median_change(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after);

}  // namespace gputrace::analyzer
