// The report as one page that needs nothing else: no network, no fonts, no other file. The page is a mustache template
// (reports/templates), which escapes every text; here each part of the diagnosis becomes data for it, with limits that keep
// the page small whatever the trace holds.
#include <algorithm>

#include <fmt/format.h>
#include <kainjow/mustache.hpp>

#include "reports/device_table.h"
#include "reports/format.h"
#include "reports/html_charts.h"
#include "reports/html_template.h"
#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::Finding;
using analyzer::Verdict;
using kainjow::mustache::data;

constexpr std::size_t kKernelsShown = 200;
constexpr std::size_t kDiagnosticsShown = 100;
constexpr std::size_t kFindingsShown = 50;
constexpr int kNameCharacters = 400;
constexpr int kTextCharacters = 2000;
constexpr int kShortCharacters = 160;

double ns(std::int64_t value) { return static_cast<double>(value); }

std::string text_of(std::string_view text, int most = kTextCharacters) { return cut_to_width(one_line(text), most); }

void set_list(data& page, const std::string& name, data list) {
  page.set("has_" + name, !list.list_value().empty());
  page.set(name, std::move(list));
}

data texts(const std::vector<std::string>& lines) {
  data list{data::type::list};
  for (const auto& line : lines) list.push_back(data(text_of(line)));
  return list;
}

data finding_data(const Diagnosis& diagnosis, const Finding& finding, std::size_t rank) {
  data item;
  item.set("rank", std::to_string(rank));
  item.set("title", text_of(finding.title));
  item.set("severity", name(finding.severity));
  item.set("rule", text_of(finding.rule, kShortCharacters));
  item.set("why", text_of(finding.why));
  if (const std::string win = gain(diagnosis, finding); !win.empty()) item.set("gain", win);
  data evidence{data::type::list};
  for (const auto& one : finding.evidence) {
    data entry;
    entry.set("place", evidence_place(diagnosis, one));
    entry.set("text", text_of(one.text));
    evidence.push_back(std::move(entry));
  }
  item.set("evidence_count", std::to_string(finding.evidence.size()));
  set_list(item, "evidence", std::move(evidence));
  set_list(item, "advice", texts(finding.advice));
  return item;
}

void set_findings(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  const auto found = with_verdict(diagnosis, Verdict::found);
  for (std::size_t i = 0; i < std::min(found.size(), kFindingsShown); ++i) {
    list.push_back(finding_data(diagnosis, *found[i], i + 1));
  }
  set_list(page, "findings", std::move(list));
}

void set_devices(data& page, const Diagnosis& diagnosis) {
  const Devices devices = used_devices(diagnosis);
  const auto keys = part_keys(devices);
  data list{data::type::list};
  for (const auto* device : devices) list.push_back(device_bar(*device, keys));
  set_list(page, "devices", std::move(list));
  data rows{data::type::list};
  std::size_t part = 0;
  for (const DeviceRow& row : device_rows(keys, devices)) {
    data item;
    item.set("label", text_of(row.label, kShortCharacters));
    if (row.is_part) item.set("color", part_color(keys, part++));
    item.set("cells", texts(row.cells));
    rows.push_back(std::move(item));
  }
  page.set("device_rows", std::move(rows));
  page.set("device_names", text_of(device_names(diagnosis)));
  page.set("window", duration(ns(diagnosis.window.duration_ns())));
}

void set_kernels(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  const std::size_t shown = std::min(kKernelsShown, diagnosis.kernels.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& kernel = diagnosis.kernels[i];
    data item;
    item.set("name", text_of(kernel.name, kNameCharacters));
    item.set("label", text_of(kernel.label.empty() ? kernel.name : kernel.label, kShortCharacters));
    if (const std::string meaning = kernel_meaning(kernel); !meaning.empty()) {
      item.set("meaning", text_of(meaning, kNameCharacters));
    }
    item.set("op_class", text_of(kernel.op_class, kShortCharacters));
    item.set("share", percent(kernel.share));
    item.set("time", duration(ns(kernel.total_ns)));
    item.set("total_ns", std::to_string(kernel.total_ns));
    item.set("calls", count(kernel.calls));
    item.set("calls_value", std::to_string(kernel.calls));
    list.push_back(std::move(item));
  }
  page.set("kernels_shown", std::to_string(shown));
  page.set("kernels_all", std::to_string(diagnosis.kernels.size()));
  set_list(page, "kernels", std::move(list));
}

void set_copies(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  for (const auto& copy : diagnosis.copies) {
    data item;
    item.set("name", text_of(copy_name(copy)));
    item.set("bytes", copy_bytes(copy));
    item.set("time", duration(ns(copy.total_ns)));
    item.set("rate", copy_rate(copy));
    item.set("share", percent(copy.share_of_step));
    item.set("count", count(copy.count));
    item.set("source", copy.link_gbps ? text_of(copy.link_source, kShortCharacters) : "-");
    list.push_back(std::move(item));
  }
  set_list(page, "copies", std::move(list));
}

void set_limits(data& page, const Diagnosis& diagnosis) {
  if (!diagnosis.producer.empty()) page.set("producer", text_of(diagnosis.producer));
  page.set("completeness", text_of(completeness_line(diagnosis)));
  std::vector<std::string> lines;
  const auto& diagnostics = diagnosis.diagnostics;
  for (std::size_t i = 0; i < std::min(kDiagnosticsShown, diagnostics.size()); ++i) {
    lines.push_back(count(diagnostics[i].count) + " " + diagnostics[i].what);
  }
  if (diagnostics.size() > lines.size()) lines.push_back(fmt::format("and {} more kinds", diagnostics.size() - lines.size()));
  page.set("diagnostics", texts(lines));
  page.set("not_captured", texts(diagnosis.not_captured));
  data unseen{data::type::list};
  for (const Finding* finding : with_verdict(diagnosis, Verdict::could_not_look)) {
    data item;
    item.set("rule", text_of(finding->rule, kShortCharacters));
    item.set("why", text_of(finding->why));
    unseen.push_back(std::move(item));
  }
  page.set("could_not_look", std::move(unseen));
  std::vector<std::string> silent;
  for (const Finding* finding : with_verdict(diagnosis, Verdict::nothing)) silent.push_back(finding->rule);
  page.set("nothing_found", texts(silent));
}

std::string render(const Diagnosis& diagnosis, const FormatOptions&) {
  data page;
  page.set("file", text_of(diagnosis.file));
  if (diagnosis.simulated) page.set("simulated", text_of(simulated_line(diagnosis)));
  page.set("verdict", text_of(verdict(diagnosis)));
  page.set("steps_line", text_of(steps_line(diagnosis)));
  set_findings(page, diagnosis);
  set_devices(page, diagnosis);
  set_timeline(page, diagnosis);
  set_step_chart(page, diagnosis);
  set_kernels(page, diagnosis);
  set_copies(page, diagnosis);
  set_limits(page, diagnosis);
  return kainjow::mustache::mustache(html_template()).render(page);
}

}  // namespace

extern const Format html{.name = "html", .file_extension = "html", .render = render};

}  // namespace gputrace::reports
