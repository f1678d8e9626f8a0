#include "tests/reports/summary_samples.h"

#include <fmt/format.h>

namespace gputrace::tests {

reports::SummaryTable make_summary(std::string_view name, const trace::Trace& trace,
                                   std::vector<analyzer::NameRule> name_rules) {
  analyzer::Explainer explainer(std::move(name_rules));
  for (const reports::Summary* summary : reports::summaries()) {
    if (summary->name == name) return summary->make(trace, explainer);
  }
  return {.columns = {}, .rows = {}, .missing = "no such summary"};
}

std::string cell(const reports::SummaryTable& table, std::size_t row, std::string_view header) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].header != header || row >= table.rows.size()) continue;
    const reports::SummaryCell& value = table.rows[row][c];
    if (std::holds_alternative<std::monostate>(value)) return "";
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    return fmt::format("{:.10g}", std::get<double>(value));
  }
  return "no such cell";
}

}  // namespace gputrace::tests
