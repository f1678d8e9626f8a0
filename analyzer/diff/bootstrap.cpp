#include "analyzer/diff/bootstrap.h"

#include <algorithm>
#include <cmath>

namespace gputrace::analyzer {
namespace {

constexpr int kResamples = 2000;  // the ends of a 95 % interval then rest on 50 resamples each
constexpr std::size_t kMostSteps =
    4096;  // of more, evenly spaced ones stand for all: the interval gets wider, not wrong
constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15;

// SplitMix64 (Steele, Lea, Flood 2014). Not of <random>: its distributions differ between standard libraries.
class Random {
 public:
  std::size_t below(std::size_t n) {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return static_cast<std::size_t>(z % n);  // n is far below 2^64, so the bias is too
  }

 private:
  std::uint64_t state_ = kSeed;
};

// As Steps::median_ns: the upper one where two are in the middle.
double median(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return static_cast<double>(*middle);
}

std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& values) {
  if (values.size() <= kMostSteps) return values;
  std::vector<std::int64_t> kept(kMostSteps);
  for (std::size_t i = 0; i < kMostSteps; ++i) kept[i] = values[i * values.size() / kMostSteps];
  return kept;
}

double resampled_median(const std::vector<std::int64_t>& values, Random& random,
                        std::vector<std::int64_t>& drawn) {
  drawn.resize(values.size());
  for (std::int64_t& value : drawn) value = values[random.below(values.size())];
  return median(drawn);
}

double standard_deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

MedianChange median_change(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after) {
  std::vector<std::int64_t> drawn = before;
  const double before_median = median(drawn);
  drawn = after;
  MedianChange result;
  result.change = median(drawn) / before_median - 1;
  const std::vector<std::int64_t> some_before = thinned(before), some_after = thinned(after);
  Random random;
  std::vector<double> changes(kResamples);
  for (double& change : changes) {
    const double resampled_before = resampled_median(some_before, random, drawn);
    change = resampled_median(some_after, random, drawn) / resampled_before - 1;
  }
  std::sort(changes.begin(), changes.end());
  result.interval = {changes[kResamples / 40], changes[kResamples - 1 - kResamples / 40]};
  result.standard_error = standard_deviation(changes);
  return result;
}

}  // namespace gputrace::analyzer
