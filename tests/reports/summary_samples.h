// Tables of a trace, as the tests of summaries ask for them.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/name_rules.h"
#include "reports/summary.h"

namespace gputrace::tests {

// The table with that name; an empty one with missing = "no such summary" where there is none.
reports::SummaryTable make_summary(std::string_view name, const trace::Trace& trace,
                                   std::vector<analyzer::NameRule> name_rules = {});

// The cell below `header`, as text: numbers as they print with %.10g.
std::string cell(const reports::SummaryTable& table, std::size_t row, std::string_view header);

}  // namespace gputrace::tests
