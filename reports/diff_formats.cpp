#include "reports/diff_formats.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/diff_rows.h"
#include "reports/diff_wording.h"
#include "reports/plain_text.h"
#include "reports/text_page.h"

namespace gputrace::reports {
namespace {

using analyzer::Change;
using analyzer::KernelChange;
using analyzer::TraceDiff;
using Json = nlohmann::ordered_json;

constexpr int kNameColumns = 16;

void add_times(TextPage& page, const char* what, const std::vector<TimeRow>& times) {
  std::vector<std::vector<std::string>> rows;
  for (const TimeRow& row : times) {
    rows.push_back({(row.is_part ? "  " : "") + row.name, row.before, row.after, row.change, row.percent});
  }
  page.table({{.header = what, .align = Align::left, .shrink_to = kNameColumns},
              {"before"},
              {"after"},
              {"change"},
              {.header = "in %", .droppable = true}},
             std::move(rows));
}

void add_kernels(TextPage& page, const TraceDiff& diff) {
  if (diff.kernels.empty()) return;
  const ChangedKernels kernels = changed_kernels(diff);
  page.heading(fmt::format("Kernels that changed: {} of {}, {}", kernels.changed, diff.kernels.size(), diff_unit(diff)));
  if (kernels.rows.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const KernelRow& row : kernels.rows) {
    rows.push_back({row.fate, row.before, row.after, row.percent, row.calls_before, row.calls_after, row.label});
  }
  page.table({{.header = "", .align = Align::left},
              {"before"},
              {"after"},
              {.header = "in %", .droppable = true},
              {.header = "calls", .droppable = true},
              {.header = "after", .droppable = true},
              {.header = "kernel", .align = Align::left, .shrink_to = kNameColumns}},
             std::move(rows));
  if (kernels.changed > kernels.rows.size())
    page.paragraph("  ", fmt::format("and {} more, with --format json", kernels.changed - kernels.rows.size()), Ink::dim);
}

Json pair_of(const Change& change) { return {{"before", change.before}, {"after", change.after}}; }

Json kernels_of(const std::vector<KernelChange>& kernels) {
  auto list = Json::array();
  for (const KernelChange& kernel : kernels) {
    list.push_back({{"name", valid_utf8(kernel.name)},
                    {"label", valid_utf8(kernel.label)},
                    {"class", valid_utf8(kernel.op_class)},
                    {"fate", analyzer::name(kernel.fate)},
                    {"calls", pair_of(kernel.calls)},
                    {"ns", pair_of(kernel.ns)}});
  }
  return list;
}

const char* source_name(analyzer::StepSource source) {
  switch (source) {
    case analyzer::StepSource::nvtx:
      return "nvtx";
    case analyzer::StepSource::periodicity:
      return "periodicity";
    case analyzer::StepSource::none:
      break;
  }
  return "none";
}

Json steps_of(const analyzer::StepComparison& steps) {
  Json json{{"verdict", name(steps.verdict)},
            {"why", valid_utf8(steps.why)},
            {"source", source_name(steps.source)}};
  if (steps.verdict == analyzer::StepVerdict::not_aligned) return json;
  json["count"] = {{"before", steps.before_count}, {"after", steps.after_count}};
  json["median_ns"] = pair_of(steps.median_ns);
  json["change"] = steps.median_ns.relative().value_or(0);
  if (steps.verdict == analyzer::StepVerdict::cannot_judge) return json;
  json["interval_95"] = {steps.interval.low, steps.interval.high};
  json["smallest_visible"] = steps.smallest_visible;
  return json;
}

Json side_of(const std::string& file, bool simulated) {
  return {{"file", valid_utf8(file)}, {"simulated", simulated}};
}

Json scaling_of(const std::optional<analyzer::Scaling>& scaling) {
  if (!scaling) return nullptr;
  Json losses = Json::object();
  for (const auto& loss : scaling->losses) losses[loss.what] = loss.ns;
  return {{"work", scaling->work == analyzer::Scaling::Work::shared ? "shared" : "repeated"},
          {"ideal_ns", scaling->ideal_ns},
          {"actual_ns", scaling->actual_ns},
          {"efficiency", scaling->efficiency()},
          {"losses_ns", std::move(losses)}};
}

}  // namespace

std::string diff_as_text(const TraceDiff& diff, const FormatOptions& options) {
  TextPage page(options);
  page.line("before: " + one_line(diff.before_file));
  page.line("after:  " + one_line(diff.after_file));
  if (const std::string simulated = diff_simulated_line(diff); !simulated.empty()) page.paragraph("", simulated, Ink::yellow);
  page.blank();
  page.paragraph("", one_line(diff_sentence(diff)), Ink::bold);
  page.blank();
  page.paragraph("", one_line(diff_certainty(diff)));
  if (diff.scaling) page.paragraph("", scaling_sentence(diff));
  for (const std::string& caveat : diff.caveats) page.paragraph("", one_line(caveat), Ink::yellow);
  page.heading(std::string("Where the time goes, ") + diff_unit(diff));
  add_times(page, "time", time_rows(diff));
  if (!diff.classes.empty()) {
    page.heading(std::string("Kernels by class, ") + diff_unit(diff));
    add_times(page, "class", class_rows(diff));
  }
  add_kernels(page, diff);
  return page.take();
}

std::string diff_as_json(const TraceDiff& diff) {
  auto caveats = Json::array();
  for (const std::string& caveat : diff.caveats) caveats.push_back(valid_utf8(caveat));
  Json parts = Json::object();
  for (const auto& part : diff.parts) parts[valid_utf8(part.key)] = pair_of(part.ns);
  const Json report{{"format", "gputrace.diff"},
                    {"version", 1},
                    {"before", side_of(diff.before_file, diff.before_simulated)},
                    {"after", side_of(diff.after_file, diff.after_simulated)},
                    {"sentence", valid_utf8(diff_sentence(diff))},
                    {"caveats", caveats},
                    {"steps", steps_of(diff.steps)},
                    {"unit", diff.per_step ? "step" : "window"},
                    {"gpus", pair_of(diff.gpus)},
                    {"traced_ns", pair_of(diff.traced_ns)},
                    {"traced_kernel_ns", pair_of(diff.traced_kernel_ns)},
                    {"unit_ns", pair_of(diff.unit_ns)},
                    {"kernel_ns", pair_of(diff.kernel_ns)},
                    {"compute_kernel_ns", pair_of(diff.compute_kernel_ns)},
                    {"busy_ns", pair_of(diff.busy_ns)},
                    {"idle_ns", pair_of(diff.idle_ns)},
                    {"exposed_communication_ns", pair_of(diff.exposed_communication_ns)},
                    {"parts_ns", parts},
                    {"scaling", scaling_of(diff.scaling)},
                    {"classes", kernels_of(diff.classes)},
                    {"kernels", kernels_of(diff.kernels)}};
  return report.dump(2) + "\n";
}

}  // namespace gputrace::reports
