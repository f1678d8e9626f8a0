// The report for issues and pull requests (GitHub's Markdown).
#include <algorithm>

#include <fmt/format.h>

#include "reports/critical_path_wording.h"
#include "reports/device_table.h"
#include "reports/format.h"
#include "reports/link_table.h"
#include "reports/markdown_text.h"
#include "reports/quantities.h"
#include "reports/threshold_table.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::Finding;
using analyzer::Verdict;
using markdown_text::Cells;
using markdown_text::code;
using markdown_text::prose;
using markdown_text::table;

constexpr std::size_t kEvidenceShown = 5;
constexpr std::size_t kKernelsShown = 15;
constexpr std::size_t kLinksShown = 15;

double ns(std::int64_t value) { return static_cast<double>(value); }

std::string top(const Diagnosis& diagnosis) {
  std::string out = "## gputrace report: " + code(diagnosis.file) + "\n\n";
  if (diagnosis.simulated) out += "> **" + prose(simulated_line(diagnosis)) + "**\n\n";
  return out + "**" + prose(verdict(diagnosis)) + "**\n\n" + prose(steps_line(diagnosis)) + "\n";
}

std::string finding_text(const Diagnosis& diagnosis, const Finding& finding, std::size_t rank) {
  std::string out = fmt::format("\n### {}\\. {}\n\n**{}** · {}\n\n{}\n", rank, prose(finding.title), name(finding.severity),
                                code(finding.rule), prose(finding.why));
  const std::string win = gain(diagnosis, finding);
  if (!win.empty()) out += "\n**Gain:** " + prose(win) + "\n";
  const std::size_t shown = std::min(kEvidenceShown, finding.evidence.size());
  if (shown > 0) out += "\n**Evidence:**\n";
  for (std::size_t i = 0; i < shown; ++i) {
    out += "- " + prose(evidence_place(diagnosis, finding.evidence[i]) + ": " + finding.evidence[i].text) + "\n";
  }
  if (finding.evidence.size() > shown) out += fmt::format("- and {} more\n", finding.evidence.size() - shown);
  if (!finding.advice.empty()) out += "\n**Do:**\n";
  for (const auto& advice : finding.advice) out += "- " + prose(advice) + "\n";
  return out;
}

std::string devices_text(const Diagnosis& diagnosis) {
  const Devices devices = used_devices(diagnosis);
  if (devices.empty()) return "";
  Cells headers{"share of the window"};
  for (const auto* device : devices) headers.push_back(fmt::format("GPU {}", device->device.value));
  std::vector<Cells> rows;
  for (const DeviceRow& row : device_rows(part_keys(devices), devices)) {
    rows.push_back({prose(row.label)});
    rows.back().insert(rows.back().end(), row.cells.begin(), row.cells.end());
  }
  return "\n### Where the time goes, in a window of " + duration(ns(diagnosis.window.duration_ns())) + "\n\n" +
         prose(device_names(diagnosis)) + "\n" + table(headers, rows);
}

std::string waits_text(const Diagnosis& diagnosis) {
  const std::string path = critical_path_line(diagnosis), near = near_paths_line(diagnosis);
  const std::vector<std::string> idle = idle_lines(diagnosis);
  if (path.empty() && idle.empty()) return "";
  std::string out = "\n### What decides the step\n\n";
  if (!path.empty()) out += "- critical path: " + prose(path) + "\n";
  if (!near.empty()) out += "- near it: " + prose(near) + "\n";
  for (const std::string& line : idle) out += "- " + prose(line) + "\n";
  return out;
}

std::string kernels_text(const Diagnosis& diagnosis) {
  if (diagnosis.kernels.empty()) return "";
  const std::size_t shown = std::min(kKernelsShown, diagnosis.kernels.size());
  std::vector<Cells> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& kernel = diagnosis.kernels[i];
    rows.push_back({code(kernel.label.empty() ? kernel.name : kernel.label), percent(kernel.share),
                    duration(ns(kernel.total_ns)), count(kernel.calls)});
  }
  return fmt::format("\n### Kernels: {} of {}, by time\n", shown, diagnosis.kernels.size()) +
         table({"kernel", "share", "time", "calls"}, rows);
}

std::string copies_text(const Diagnosis& diagnosis) {
  if (diagnosis.copies.empty()) return "";
  std::vector<Cells> rows;
  for (const auto& copy : diagnosis.copies) {
    rows.push_back({prose(copy_name(copy)), copy_bytes(copy), duration(ns(copy.total_ns)), copy_rate(copy),
                    percent(copy.share_of_step), count(copy.count)});
  }
  return "\n### Copies\n" + table({"copy", "bytes", "time", "rate", "of step", "count"}, rows);
}

std::string links_text(const Diagnosis& diagnosis) {
  const auto links = link_rows(diagnosis, kLinksShown);
  const auto sentences = link_sentences(diagnosis);
  if (links.empty() && sentences.empty()) return "";
  std::vector<Cells> rows;
  for (const LinkRow& row : links) rows.push_back({prose(row.copy), prose(row.size), row.rate, row.exposed, row.beside});
  std::string out = "\n### Links: rate against what is possible\n";
  if (!rows.empty()) out += table({"copy", "size", "rate", "exposed", "beside other GPUs"}, rows);
  if (!sentences.empty()) out += "\n";
  for (const std::string& sentence : sentences) out += "- " + prose(sentence) + "\n";
  return out;
}

std::string answers_text(const Diagnosis& diagnosis) {
  std::string out;
  for (const analyzer::Answer& answer : diagnosis.answers) out += "\n**" + prose(answer.question) + "**\n\n" + prose(answer.answer) + "\n";
  return out.empty() ? "" : "\n### Questions that people ask of such a run\n" + out;
}

std::string limits_text(const Diagnosis& diagnosis) {
  std::string out = "\n### What this report rests on\n\n";
  if (!diagnosis.producer.empty()) out += "- recorded by " + prose(diagnosis.producer) + "\n";
  out += "- " + prose(completeness_line(diagnosis)) + "\n";
  for (const auto& diagnostic : diagnosis.diagnostics) {
    out += "- " + count(diagnostic.count) + " " + prose(diagnostic.what) + "\n";
  }
  if (const std::string changed = changed_thresholds(diagnosis); !changed.empty()) out += "- thresholds changed: " + prose(changed) + "\n";
  for (const auto& table_name : diagnosis.not_captured) out += "- not captured: " + prose(table_name) + "\n";
  for (const Finding* finding : with_verdict(diagnosis, Verdict::could_not_look)) {
    out += "- could not look: " + code(finding->rule) + ": " + prose(finding->why) + "\n";
  }
  for (const Finding* finding : with_verdict(diagnosis, Verdict::nothing)) {
    out += "- looked and found nothing: " + code(finding->rule) + "\n";
  }
  return out;
}

std::string render(const Diagnosis& diagnosis, const FormatOptions&) {
  std::string out = top(diagnosis);
  const auto found = with_verdict(diagnosis, Verdict::found);
  for (std::size_t i = 0; i < found.size(); ++i) out += finding_text(diagnosis, *found[i], i + 1);
  return out + devices_text(diagnosis) + waits_text(diagnosis) + kernels_text(diagnosis) + copies_text(diagnosis) + links_text(diagnosis) + answers_text(diagnosis) +
         limits_text(diagnosis);
}

}  // namespace

extern const Format markdown{.name = "markdown", .file_extension = "md", .render = render};

}  // namespace gputrace::reports
