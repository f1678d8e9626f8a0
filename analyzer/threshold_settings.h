// The user's own values for thresholds (thresholds.h): those of a team that knows its machines.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "analyzer/diagnosis.h"

namespace gputrace::analyzer {

class ThresholdSettings {
 public:
  // The error is one line: no threshold is called so, or its unit does not allow the value (shares are above 0 and at most 1, all
  // others above 0). Set twice, the last one holds.
  tl::expected<void, std::string> set(std::string_view name, double value);

  double value_of(const Threshold& threshold) const;
  const std::vector<ChangedThreshold>& changed() const { return changed_; }  // values other than the standard ones

 private:
  std::vector<ChangedThreshold> changed_;
};

// While it lives, this thread's thresholds have the values of `settings`, which outlives it. A limit is read in a hundred places, so
// it is not handed through all of them; another thread's analysis is not touched.
class ThresholdScope {
 public:
  explicit ThresholdScope(const ThresholdSettings& settings) : ThresholdScope(&settings) {}
  explicit ThresholdScope(const ThresholdSettings* settings);  // nullptr: the standard values
  // Of the calling thread, to hand on to those that work for it; nullptr where it has the standard values.
  static const ThresholdSettings* in_use();
  ~ThresholdScope();
  ThresholdScope(const ThresholdScope&) = delete;
  ThresholdScope& operator=(const ThresholdScope&) = delete;

 private:
  const ThresholdSettings* before_;
};

}  // namespace gputrace::analyzer
