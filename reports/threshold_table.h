// The limits that findings depend on, as text for a terminal.
#pragma once

#include <string>

#include "analyzer/threshold_settings.h"
#include "reports/format.h"

namespace gputrace::reports {

// One paragraph each: "critical-share = 20.0 %: why". Where settings have another value: "critical-share = 25.0 % (standard: 20.0 %)".
std::string thresholds_as_text(const FormatOptions& options, const analyzer::ThresholdSettings& settings = {});

// "critical-share 25.0 % (standard: 20.0 %)", the changed ones; "" where none was.
std::string changed_thresholds(const analyzer::Diagnosis& diagnosis);

}  // namespace gputrace::reports
