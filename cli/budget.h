// Limits on the figures of a report, for `gputrace check`. A budget file is TOML with one list of text:
//   limits = [ "devices.*.compute_utilization >= 0.6", "findings.critical == 0", "steps.median_ns <= 1.05 * base.json" ]
// A limit is PATH OPERATOR VALUE: a path of the JSON report ("*" is every entry of a list, of the devices those in use;
// findings.critical, .warning and .info count what was found, findings.launch-bound is the finding of that rule), one of
// <= >= < > == !=, and a number, another report ("base.json": its figure at the same path; relative to the budget file), or
// NUMBER * REPORT.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/result.h"

namespace gputrace::cli {

enum class Judgement : std::uint8_t { within, exceeded, cannot_judge };

struct JudgedLimit {
  std::string limit;
  Judgement judgement = Judgement::cannot_judge;
  std::string detail;  // "devices.1.compute_utilization is 0.55", or why it cannot be judged
};

// Errors: a budget that cannot be read, is no TOML, has no limits, or has a limit that cannot be understood.
[[nodiscard]] Result<std::vector<JudgedLimit>> judge_report(const std::string& report_json,
                                                            const std::filesystem::path& budget);

}  // namespace gputrace::cli
