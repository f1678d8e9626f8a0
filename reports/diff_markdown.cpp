#include <fmt/format.h>

#include "reports/diff_formats.h"
#include "reports/diff_rows.h"
#include "reports/diff_wording.h"
#include "reports/markdown_text.h"

namespace gputrace::reports {
namespace {

using analyzer::TraceDiff;
using markdown_text::Cells;
using markdown_text::code;
using markdown_text::prose;
using markdown_text::table;

std::string times_text(const char* what, const std::vector<TimeRow>& times) {
  std::vector<Cells> rows;
  for (const TimeRow& row : times) {
    rows.push_back({(row.is_part ? "– " : "") + prose(row.name), row.before, row.after, row.change, row.percent});
  }
  return table({what, "before", "after", "change", "in %"}, rows);
}

std::string kernels_text(const TraceDiff& diff) {
  if (diff.kernels.empty()) return "";
  const ChangedKernels kernels = changed_kernels(diff);
  std::string text =
      fmt::format("\n### Kernels that changed: {} of {}, {}\n", kernels.changed, diff.kernels.size(), diff_unit(diff));
  if (kernels.rows.empty()) return text;
  std::vector<Cells> rows;
  for (const KernelRow& row : kernels.rows) {
    rows.push_back({code(row.label), row.fate, row.before, row.after, row.percent, row.calls_before, row.calls_after});
  }
  text += table({"kernel", "", "before", "after", "in %", "calls before", "calls after"}, rows);
  if (kernels.changed > rows.size()) text += fmt::format("\nand {} more, with `--format json`\n", kernels.changed - rows.size());
  return text;
}

}  // namespace

std::string diff_as_markdown(const TraceDiff& diff) {
  std::string text = "## gputrace diff: " + code(diff.before_file) + " to " + code(diff.after_file) + "\n\n";
  if (const std::string simulated = diff_simulated_line(diff); !simulated.empty()) text += "> **" + prose(simulated) + "**\n\n";
  text += "**" + prose(diff_sentence(diff)) + "**\n\n" + prose(diff_certainty(diff)) + "\n";
  if (diff.scaling) text += "\n" + prose(scaling_sentence(diff)) + "\n";
  for (const std::string& caveat : diff.caveats) text += "\n- " + prose(caveat);
  if (!diff.caveats.empty()) text += "\n";
  text += std::string("\n### Where the time goes, ") + diff_unit(diff) + "\n" + times_text("time", time_rows(diff));
  if (!diff.classes.empty()) {
    text += std::string("\n### Kernels by class, ") + diff_unit(diff) + "\n" + times_text("class", class_rows(diff));
  }
  return text + kernels_text(diff);
}

}  // namespace gputrace::reports
