// Summaries as text for a terminal, as CSV, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "reports/format.h"
#include "reports/summary.h"

namespace gputrace::reports {

struct MadeSummary {
  const Summary* summary = nullptr;
  SummaryTable table;
};

// Times and sizes with units; a table that is missing is one line that says why.
std::string summaries_as_text(const std::vector<MadeSummary>& made, const FormatOptions& options);

// RFC 4180 with the headers of `nsys stats`; a blank line between tables. A missing table is not written.
std::string summaries_as_csv(const std::vector<MadeSummary>& made);

// { "<name>": [ { "<header>": value, ... }, ... ] }; null for a missing table.
std::string summaries_as_json(const std::vector<MadeSummary>& made);

}  // namespace gputrace::reports
