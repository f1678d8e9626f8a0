// The limits that findings depend on.
#pragma once

#include <string>
#include <vector>

#include "analyzer/threshold_settings.h"
#include "reports/format.h"

namespace gputrace::reports {

struct ThresholdRow {
  std::string name, value, reason;  // "critical-share", "25.0 % (standard: 20.0 %)", why
};
std::vector<ThresholdRow> threshold_rows(const std::vector<analyzer::ChangedThreshold>& changed);

// One paragraph each: "critical-share = 20.0 %: why". Where settings have another value: "critical-share = 25.0 % (standard: 20.0 %)".
std::string thresholds_as_text(const FormatOptions& options, const analyzer::ThresholdSettings& settings = {});

// "critical-share 25.0 % (standard: 20.0 %)", the changed ones; "" where none was.
std::string changed_thresholds(const analyzer::Diagnosis& diagnosis);

}  // namespace gputrace::reports
