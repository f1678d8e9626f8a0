// A TOML file with other values for the limits of findings:
//   warning-share = 0.10
//   slow-link-factor = 2
#pragma once

#include <filesystem>

#include "analyzer/threshold_settings.h"
#include "trace/result.h"

namespace gputrace::cli {

// "" gives the standard values. Fails on a file that is not read or is no TOML, a name that no threshold has, and a value that is no number
// or not allowed; the error names the line.
[[nodiscard]] Result<analyzer::ThresholdSettings> read_thresholds(const std::filesystem::path& path);

}  // namespace gputrace::cli
