// The comparison as one page that needs nothing else: the style of the report, and no script.
#include <algorithm>

#include <fmt/format.h>
#include <kainjow/mustache.hpp>

#include "reports/diff_formats.h"
#include "reports/diff_rows.h"
#include "reports/diff_wording.h"
#include "reports/html_tables.h"
#include "reports/html_template.h"

namespace gputrace::reports {
namespace {

using analyzer::TraceDiff;
using kainjow::mustache::data;

std::string bar(double ns, double most_ns) { return fmt::format("{:.1f}", most_ns > 0 ? 100 * ns / most_ns : 0); }

// Bars are shares of the largest time of the table, before or after.
data times(const std::vector<TimeRow>& rows) {
  double most_ns = 0;
  for (const TimeRow& row : rows) most_ns = std::max({most_ns, row.before_ns, row.after_ns});
  data list{data::type::list};
  for (const TimeRow& row : rows) {
    data item;
    item.set("name", page_text(row.name));
    item.set("is_part", row.is_part);
    item.set("before", row.before);
    item.set("after", row.after);
    item.set("change", row.change);
    item.set("percent", row.percent);
    item.set("before_bar", bar(row.before_ns, most_ns));
    item.set("after_bar", bar(row.after_ns, most_ns));
    list.push_back(std::move(item));
  }
  return list;
}

void set_kernels(data& page, const TraceDiff& diff) {
  const ChangedKernels kernels = changed_kernels(diff);
  data list{data::type::list};
  for (const KernelRow& row : kernels.rows) {
    data item;
    item.set("label", page_text(row.label, 160));
    item.set("fate", row.fate);
    item.set("before", row.before);
    item.set("after", row.after);
    item.set("percent", row.percent);
    item.set("calls_before", row.calls_before);
    item.set("calls_after", row.calls_after);
    list.push_back(std::move(item));
  }
  page.set("has_kernels", !diff.kernels.empty());
  page.set("any_changed", !kernels.rows.empty());
  page.set("changed", std::to_string(kernels.changed));
  page.set("all", std::to_string(diff.kernels.size()));
  if (kernels.changed > kernels.rows.size()) page.set("more", std::to_string(kernels.changed - kernels.rows.size()));
  page.set("kernels", std::move(list));
}

}  // namespace

std::string diff_as_html(const TraceDiff& diff) {
  data page, caveats{data::type::list};
  page.set("before", page_text(diff.before_file));
  page.set("after", page_text(diff.after_file));
  if (const std::string simulated = diff_simulated_line(diff); !simulated.empty()) page.set("simulated", simulated);
  page.set("sentence", page_text(diff_sentence(diff)));
  page.set("certainty", page_text(diff_certainty(diff) + (diff.scaling ? " " + scaling_sentence(diff) : "")));
  for (const std::string& caveat : diff.caveats) caveats.push_back(data(page_text(caveat)));
  page.set("caveats", std::move(caveats));
  page.set("unit", diff_unit(diff));
  page.set("times", times(time_rows(diff)));
  page.set("has_classes", !diff.classes.empty());
  page.set("classes", times(class_rows(diff)));
  set_kernels(page, diff);
  return kainjow::mustache::mustache(diff_template()).render(page);
}

}  // namespace gputrace::reports
