// The limits that findings depend on, as text for a terminal.
#pragma once

#include <string>

#include "reports/format.h"

namespace gputrace::reports {

// One paragraph each: "critical-share = 20.0 %: why".
std::string thresholds_as_text(const FormatOptions& options);

}  // namespace gputrace::reports
