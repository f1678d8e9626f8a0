#include "analyzer/threshold_settings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

thread_local const ThresholdSettings* current = nullptr;

bool allowed(const Threshold& threshold, double value) {
  return std::isfinite(value) && value > 0 && (threshold.unit != ThresholdUnit::share || value <= 1);
}

}  // namespace

Threshold::operator double() const { return current == nullptr ? value : current->value_of(*this); }

tl::expected<void, std::string> ThresholdSettings::set(std::string_view name, double value) {
  const auto& all = thresholds::kAll;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Threshold* threshold) { return threshold->name == name; });
  if (found == all.end()) return tl::unexpected(fmt::format("no threshold is called '{}'", name));
  const Threshold& threshold = **found;
  if (!allowed(threshold, value)) {
    return tl::unexpected(fmt::format("{} = {} is no value for it: it is {}", name, value,
                                      threshold.unit == ThresholdUnit::share ? "a share, above 0 and at most 1" : "above 0"));
  }
  std::erase_if(changed_, [&](const ChangedThreshold& it) { return it.threshold == &threshold; });
  if (value != threshold.value) changed_.push_back({&threshold, value});
  return {};
}

double ThresholdSettings::value_of(const Threshold& threshold) const {
  for (const ChangedThreshold& it : changed_)
    if (it.threshold == &threshold) return it.value;
  return threshold.value;
}

ThresholdScope::ThresholdScope(const ThresholdSettings* settings) : before_(current) { current = settings; }
ThresholdScope::~ThresholdScope() { current = before_; }
const ThresholdSettings* ThresholdScope::in_use() { return current; }

}  // namespace gputrace::analyzer
