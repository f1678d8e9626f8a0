// The report for a terminal: the first screen is the verdict and the findings, the tables follow.
#include <algorithm>

#include <fmt/format.h>

#include "reports/critical_path_wording.h"
#include "reports/device_table.h"
#include "reports/format.h"
#include "reports/link_table.h"
#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/text_page.h"
#include "reports/threshold_table.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::Finding;
using analyzer::Severity;
using analyzer::Verdict;

constexpr std::size_t kEvidenceShown = 3;
constexpr std::size_t kKernelsShown = 10;
constexpr std::size_t kLinksShown = 6;
constexpr double kExplainedFromShare = 0.1;  // of kernel time: smaller kernels are explained by `gputrace explain`

double ns(std::int64_t value) { return static_cast<double>(value); }

Ink ink_of(Severity severity) {
  if (severity == Severity::critical) return Ink::red;
  return severity == Severity::warning ? Ink::yellow : Ink::cyan;
}

void add_top(TextPage& page, const Diagnosis& diagnosis) {
  page.line("gputrace report: " + one_line(diagnosis.file), Ink::bold);
  const std::string simulated = one_line(simulated_line(diagnosis));
  if (!simulated.empty()) page.paragraph("", simulated, Ink::yellow);
  page.blank();
  page.paragraph("", one_line(verdict(diagnosis)), Ink::bold);
  page.blank();
  page.paragraph("", one_line(steps_line(diagnosis)));
}

void add_evidence(TextPage& page, const Diagnosis& diagnosis, const Finding& finding) {
  const std::size_t shown = std::min(kEvidenceShown, finding.evidence.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const analyzer::Evidence& evidence = finding.evidence[i];
    page.paragraph("   evidence: ", one_line(evidence_place(diagnosis, evidence) + ": " + evidence.text));
  }
  if (finding.evidence.size() > shown) {
    page.paragraph("   evidence: ", fmt::format("and {} more", finding.evidence.size() - shown), Ink::dim);
  }
}

void add_finding(TextPage& page, const Diagnosis& diagnosis, const Finding& finding, std::size_t rank) {
  page.blank();
  page.paragraph(fmt::format("{}. ", rank), one_line(finding.title), Ink::bold);
  page.line(fmt::format("   {} · {}", name(finding.severity), one_line(finding.rule)), ink_of(finding.severity));
  page.paragraph("   ", one_line(finding.why));
  const std::string win = gain(diagnosis, finding);
  if (!win.empty()) page.paragraph("   gain: ", win, Ink::bold);
  add_evidence(page, diagnosis, finding);
  for (const std::string& advice : finding.advice) page.paragraph("   do: ", one_line(advice));
}

void add_findings(TextPage& page, const Diagnosis& diagnosis) {
  const auto found = with_verdict(diagnosis, Verdict::found);
  if (found.empty()) return;
  page.heading("Findings, by the time to win back");
  for (std::size_t i = 0; i < found.size(); ++i) add_finding(page, diagnosis, *found[i], i + 1);
}

void add_answers(TextPage& page, const Diagnosis& diagnosis) {
  if (diagnosis.answers.empty()) return;
  page.heading("Questions that people ask of such a run");
  for (const analyzer::Answer& answer : diagnosis.answers) {
    page.blank();
    page.paragraph("  ", one_line(answer.question), Ink::bold);
    page.paragraph("  ", one_line(answer.answer));
  }
}

void add_device_table(TextPage& page, const std::vector<std::string>& keys, const Devices& devices) {
  std::vector<TableColumn> columns{{.header = "share of the window", .align = Align::left, .shrink_to = 12}};
  for (const auto* device : devices) columns.push_back({fmt::format("GPU {}", device->device.value)});
  std::vector<std::vector<std::string>> rows;
  for (const DeviceRow& row : device_rows(keys, devices)) {
    rows.push_back({one_line(row.label)});
    rows.back().insert(rows.back().end(), row.cells.begin(), row.cells.end());
  }
  page.table(std::move(columns), std::move(rows));
}

void add_devices(TextPage& page, const Diagnosis& diagnosis) {
  const Devices used = used_devices(diagnosis);
  if (used.empty()) return;
  page.heading("Where the time goes, in a window of " + duration(ns(diagnosis.window.duration_ns())));
  page.paragraph("  ", one_line(device_names(diagnosis)));
  // Columns of 11 and a label of at most 24: as many devices side by side as the width holds.
  const auto side_by_side = static_cast<std::size_t>(std::max(2, (page.width() - 26) / 11));
  const auto keys = part_keys(used);
  for (std::size_t first = 0; first < used.size(); first += side_by_side) {
    const std::size_t last = std::min(used.size(), first + side_by_side);
    page.blank();
    add_device_table(page, keys, {used.begin() + static_cast<std::ptrdiff_t>(first),
                                  used.begin() + static_cast<std::ptrdiff_t>(last)});
  }
}

void add_waits(TextPage& page, const Diagnosis& diagnosis) {
  const std::string path = critical_path_line(diagnosis), near = near_paths_line(diagnosis);
  const std::vector<std::string> idle = idle_lines(diagnosis);
  if (path.empty() && idle.empty()) return;
  page.heading("What decides the step");
  if (!path.empty()) page.paragraph("  critical path: ", one_line(path));
  if (!near.empty()) page.paragraph("  near it: ", one_line(near));
  for (const std::string& line : idle) page.paragraph("  ", one_line(line));
}

void add_kernels(TextPage& page, const Diagnosis& diagnosis) {
  if (diagnosis.kernels.empty()) return;
  const std::size_t shown = std::min(kKernelsShown, diagnosis.kernels.size());
  page.heading(fmt::format("Kernels: {} of {}, by time", shown, diagnosis.kernels.size()));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const analyzer::KernelReport& kernel = diagnosis.kernels[i];
    rows.push_back({percent(kernel.share), duration(ns(kernel.total_ns)), count(kernel.calls),
                    one_line(kernel.label.empty() ? kernel.name : kernel.label)});
  }
  page.table({{"share"}, {"time"}, {"calls"}, {.header = "kernel", .align = Align::left, .shrink_to = 12}},
             std::move(rows));
  for (std::size_t i = 0; i < shown; ++i) {
    const analyzer::KernelReport& kernel = diagnosis.kernels[i];
    const std::string meaning = kernel_meaning(kernel);
    if (kernel.share >= kExplainedFromShare && !meaning.empty()) page.paragraph("  * ", one_line(meaning));
  }
}

void add_copies(TextPage& page, const Diagnosis& diagnosis) {
  if (diagnosis.copies.empty()) return;
  page.heading("Copies");
  std::vector<std::vector<std::string>> rows;
  std::string source;
  for (const analyzer::CopyReport& copy : diagnosis.copies) {
    rows.push_back({one_line(copy_name(copy)), copy_bytes(copy), duration(ns(copy.total_ns)),
                    copy_rate(copy), percent(copy.share_of_step), count(copy.count)});
    if (copy.link_gbps && source.empty()) source = one_line(copy.link_source);
  }
  page.table({{.header = "copy", .align = Align::left, .shrink_to = 24},
              {"bytes"},
              {"time"},
              {"rate"},
              {.header = "of step", .droppable = true},
              {.header = "count", .droppable = true}},
             std::move(rows));
  if (!source.empty()) page.paragraph("  ", "rate of the link: " + source, Ink::dim);
}

void add_links(TextPage& page, const Diagnosis& diagnosis) {
  const auto links = link_rows(diagnosis, kLinksShown);
  const auto sentences = link_sentences(diagnosis);
  if (links.empty() && sentences.empty()) return;
  page.heading("Links: rate against what is possible");
  std::vector<std::vector<std::string>> rows;
  for (const LinkRow& row : links) rows.push_back({one_line(row.copy), row.size, row.rate, row.exposed, row.beside});
  if (!rows.empty()) {
    page.table({{.header = "copy", .align = Align::left, .shrink_to = 24},
                {"size"},
                {"rate"},
                {"exposed"},
                {.header = "beside other GPUs", .droppable = true}},
               std::move(rows));
  }
  for (const std::string& sentence : sentences) page.paragraph("  ", one_line(sentence), Ink::dim);
}

void add_limits(TextPage& page, const Diagnosis& diagnosis) {
  page.heading("What this report rests on");
  if (!diagnosis.producer.empty()) page.paragraph("  recorded by: ", one_line(diagnosis.producer));
  page.paragraph("  data: ", one_line(completeness_line(diagnosis)));
  for (const auto& diagnostic : diagnosis.diagnostics) {
    page.paragraph("  data: ", fmt::format("{} {}", count(diagnostic.count), one_line(diagnostic.what)));
  }
  if (const std::string changed = changed_thresholds(diagnosis); !changed.empty()) page.paragraph("  thresholds changed: ", changed);
  std::string missing;
  for (const auto& table : diagnosis.not_captured) missing += (missing.empty() ? "" : ", ") + one_line(table);
  if (!missing.empty()) page.paragraph("  not captured: ", missing);
  for (const Finding* finding : with_verdict(diagnosis, Verdict::could_not_look)) {
    page.paragraph("  could not look: ", one_line(finding->rule + ": " + finding->why));
  }
  std::string silent;
  for (const Finding* finding : with_verdict(diagnosis, Verdict::nothing)) {
    silent += (silent.empty() ? "" : ", ") + one_line(finding->rule);
  }
  if (!silent.empty()) page.paragraph("  looked and found nothing: ", silent);
}

std::string render(const Diagnosis& diagnosis, const FormatOptions& options) {
  TextPage page(options);
  add_top(page, diagnosis);
  add_findings(page, diagnosis);
  add_devices(page, diagnosis);
  add_waits(page, diagnosis);
  add_kernels(page, diagnosis);
  add_copies(page, diagnosis);
  add_links(page, diagnosis);
  add_answers(page, diagnosis);
  add_limits(page, diagnosis);
  return page.take();
}

}  // namespace

extern const Format text{.name = "text", .file_extension = "txt", .render = render};

}  // namespace gputrace::reports
