// The report as one page that needs nothing else: no network, no fonts, no other file. The page is a mustache template
// (reports/templates), which escapes every text; here each part of the diagnosis becomes data for it, with limits that keep
// the page small whatever the trace holds.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <kainjow/mustache.hpp>

#include "reports/critical_path_wording.h"
#include "reports/device_table.h"
#include "reports/format.h"
#include "reports/html_charts.h"
#include "reports/html_picture.h"
#include "reports/html_tables.h"
#include "reports/html_template.h"
#include "reports/link_table.h"
#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::Finding;
using analyzer::Verdict;
using kainjow::mustache::data;

constexpr std::size_t kDiagnosticsShown = 100;
constexpr std::size_t kFindingsShown = 50;
constexpr std::size_t kPathPartsShown = 8;
constexpr int kShortCharacters = 160;

double ns(std::int64_t value) { return static_cast<double>(value); }

void set_list(data& page, const std::string& name, data list) {
  page.set("has_" + name, !list.list_value().empty());
  page.set(name, std::move(list));
}

data texts(const std::vector<std::string>& lines) {
  data list{data::type::list};
  for (const auto& line : lines) list.push_back(data(page_text(line)));
  return list;
}

// The figures that everybody asks for first.
void set_figures(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  const auto add = [&list](const std::string& value, const std::string& what) {
    data item;
    item.set("value", value);
    item.set("what", page_text(what, kShortCharacters));
    list.push_back(std::move(item));
  };
  const auto found = with_verdict(diagnosis, Verdict::found);
  if (diagnosis.steps.median_ns > 0) {
    add(duration(ns(diagnosis.steps.median_ns)), fmt::format("per step, the median of {}", diagnosis.steps.spans.size()));
  } else {
    add(duration(ns(diagnosis.window.duration_ns())), "traced, without steps");
  }
  if (!found.empty() && found.front()->predicted_speedup > 1) {
    add(factor(found.front()->predicted_speedup), "as fast with the first remedy");
  }
  if (const std::string busy = utilization_range(diagnosis); !busy.empty()) add(busy, "of the time a kernel runs on a GPU");
  if (const Devices devices = used_devices(diagnosis); !devices.empty()) {
    std::set<std::string> names;
    for (const auto* device : devices) names.insert(device->name);
    const bool same = names.size() == 1 && !names.begin()->empty();
    add(fmt::format("{} GPU{}", devices.size(), devices.size() == 1 ? "" : "s"), same ? *names.begin() : "in use");
  }
  set_list(page, "figures", std::move(list));
}

data evidence_list(const Diagnosis& diagnosis, const Finding& finding) {
  data evidence{data::type::list};
  for (const auto& one : finding.evidence) {
    data entry;
    entry.set("place", evidence_place(diagnosis, one));
    entry.set("text", page_text(one.text));
    entry.set("in_picture", set_place_in_picture(entry, diagnosis, one));
    evidence.push_back(std::move(entry));
  }
  return evidence;
}

// Advice for one framework says which at its beginning ("PyTorch: ..."); what is for all comes before it.
void set_advice(data& item, const std::vector<std::string>& advice) {
  std::vector<std::string> general;
  data by_framework{data::type::list};
  for (const std::string& line : advice) {
    const std::size_t colon = line.find(": ");
    const std::string framework = line.substr(0, colon == std::string::npos ? 0 : colon);
    if (framework != "PyTorch" && framework != "TensorFlow" && framework != "CUDA") {
      general.push_back(line);
      continue;
    }
    data entry;
    entry.set("framework", framework);
    entry.set("line", page_text(line.substr(colon + 2)));
    by_framework.push_back(std::move(entry));
  }
  item.set("has_any_advice", !advice.empty());
  set_list(item, "advice", texts(general));
  set_list(item, "by_framework", std::move(by_framework));
}

data finding_data(const Diagnosis& diagnosis, const Finding& finding, std::size_t rank) {
  data item;
  item.set("rank", std::to_string(rank));
  item.set("title", page_text(finding.title));
  item.set("severity", name(finding.severity));
  item.set("rule", page_text(finding.rule, kShortCharacters));
  item.set("why", page_text(finding.why));
  if (const std::string win = gain(diagnosis, finding); !win.empty()) item.set("gain", win);
  if (!finding.remedy.empty()) item.set("remedy", page_text(finding.remedy, kShortCharacters));
  if (!finding.explained_by.empty()) item.set("explained_by", page_text(finding.explained_by, kShortCharacters));
  item.set("evidence_count", std::to_string(finding.evidence.size()));
  set_list(item, "evidence", evidence_list(diagnosis, finding));
  set_advice(item, finding.advice);
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

void set_answers(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  for (const analyzer::Answer& answer : diagnosis.answers) {
    data item;
    item.set("question", page_text(answer.question));
    item.set("answer", page_text(answer.answer));
    list.push_back(std::move(item));
  }
  set_list(page, "answers", std::move(list));
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
    item.set("label", page_text(row.label, kShortCharacters));
    if (row.is_part) item.set("color", part_color(keys, part++));
    item.set("cells", texts(row.cells));
    rows.push_back(std::move(item));
  }
  page.set("device_rows", std::move(rows));
  page.set("device_names", page_text(device_names(diagnosis)));
  page.set("window", duration(ns(diagnosis.window.duration_ns())));
}

// What the step waits for: the critical path's parts as shares of it, and what each GPU that was idle waited for.
void set_waits(data& page, const Diagnosis& diagnosis) {
  data parts{data::type::list};
  double path_ns = 0;
  if (diagnosis.critical_path) {
    for (const auto& part : diagnosis.critical_path->parts) path_ns += ns(part.ns);
    for (const auto& part : diagnosis.critical_path->parts) {
      if (parts.list_value().size() == kPathPartsShown) break;
      data item;
      item.set("what", page_text(part.what, kShortCharacters));
      item.set("time", duration(ns(part.ns)));
      item.set("share", percent(path_ns > 0 ? ns(part.ns) / path_ns : 0));
      item.set("bar", fmt::format("{:.1f}", path_ns > 0 ? 100 * ns(part.ns) / path_ns : 0));
      parts.push_back(std::move(item));
    }
  }
  const std::string near = near_paths_line(diagnosis);
  if (!near.empty()) page.set("near_path", page_text(near));
  const data idle = texts(idle_lines(diagnosis));
  page.set("has_waits", !parts.list_value().empty() || !idle.list_value().empty());
  set_list(page, "path_parts", std::move(parts));
  set_list(page, "idle_lines", idle);
}

void set_not_seen(data& page, const Diagnosis& diagnosis) {
  set_list(page, "not_captured", texts(diagnosis.not_captured));
  data unseen{data::type::list};
  for (const Finding* finding : with_verdict(diagnosis, Verdict::could_not_look)) {
    data item;
    item.set("rule", page_text(finding->rule, kShortCharacters));
    item.set("why", page_text(finding->why));
    unseen.push_back(std::move(item));
  }
  set_list(page, "could_not_look", std::move(unseen));
  std::vector<std::string> silent;
  for (const Finding* finding : with_verdict(diagnosis, Verdict::nothing)) silent.push_back(finding->rule);
  set_list(page, "nothing_found", texts(silent));
}

void set_measurement(data& page, const Diagnosis& diagnosis) {
  if (!diagnosis.producer.empty()) page.set("producer", page_text(diagnosis.producer));
  page.set("completeness", page_text(completeness_line(diagnosis)));
  std::vector<std::string> lines;
  const auto& diagnostics = diagnosis.diagnostics;
  for (std::size_t i = 0; i < std::min(kDiagnosticsShown, diagnostics.size()); ++i) {
    lines.push_back(count(diagnostics[i].count) + " " + diagnostics[i].what);
  }
  if (diagnostics.size() > lines.size()) lines.push_back(fmt::format("and {} more kinds", diagnostics.size() - lines.size()));
  page.set("diagnostics", texts(lines));
  set_thresholds(page, diagnosis);
}

std::string render(const Diagnosis& diagnosis, const FormatOptions&) {
  data page;
  page.set("file", page_text(diagnosis.file));
  if (diagnosis.simulated) page.set("simulated", page_text(simulated_line(diagnosis)));
  page.set("verdict", page_text(verdict(diagnosis)));
  page.set("steps_line", page_text(steps_line(diagnosis)));
  set_figures(page, diagnosis);
  set_findings(page, diagnosis);
  set_devices(page, diagnosis);
  set_waits(page, diagnosis);
  set_picture(page, diagnosis);
  set_overview(page, diagnosis);
  set_step_chart(page, diagnosis);
  set_kernels(page, diagnosis);
  set_copies(page, diagnosis);
  set_links(page, diagnosis);
  set_list(page, "link_sentences", texts(link_sentences(diagnosis)));
  set_answers(page, diagnosis);
  set_not_seen(page, diagnosis);
  set_measurement(page, diagnosis);
  return kainjow::mustache::mustache(report_template()).render(page);
}

}  // namespace

extern const Format html{.name = "html", .file_extension = "html", .render = render};

}  // namespace gputrace::reports
