#include "analyzer/analyze.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyzer/answers.h"
#include "analyzer/charts/activity_strips.h"
#include "analyzer/charts/copy_sizes.h"
#include "analyzer/charts/place_traffic.h"
#include "analyzer/charts/step_picture.h"
#include "analyzer/concurrency_limits.h"
#include "analyzer/critical_path.h"
#include "analyzer/explain.h"
#include "analyzer/gain.h"
#include "analyzer/gpu_limits.h"
#include "analyzer/host_links.h"
#include "analyzer/idle_reasons.h"
#include "analyzer/link_roofline.h"
#include "analyzer/metrics.h"
#include "analyzer/nearest_bound.h"
#include "analyzer/recorder_overhead.h"
#include "analyzer/root_causes.h"
#include "analyzer/rule.h"
#include "analyzer/thresholds.h"
#include "analyzer/what_if.h"
#include "analyzer/work_parts.h"

namespace gputrace::analyzer {
namespace {

using trace::Trace;

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

DeviceReport device_report(const Trace& trace, const DeviceMetrics& metrics, WorkParts work, trace::Span window) {
  DeviceReport report;
  report.device = metrics.device;
  if (const trace::Gpu* gpu = find_gpu(trace, metrics.device)) report.name = gpu->name;
  report.used = metrics.used;
  const bool kernels = trace.has(trace::Table::kernels), copies = trace.has(trace::Table::copies);
  if (kernels) report.compute_utilization = share(metrics.kernel_ns, window.duration_ns());
  if (kernels) report.kernel_concurrency = share(metrics.concurrent_kernel_ns, metrics.kernel_ns);
  if (kernels && copies) report.copy_overlap = share(metrics.copy_and_kernel_ns, metrics.copy_ns);
  if (!kernels && !copies) return report;
  report.parts = time_parts(metrics);
  report.work = std::move(work.window);
  for (std::size_t i = 0; i < metrics.steps.size(); ++i) {
    const StepTime& step = metrics.steps[i];
    report.steps.push_back({step.span, step.steps, time_parts(step), std::move(work.steps[i])});
  }
  return report;
}

bool in_window(const trace::DeviceColumns& columns, std::size_t i, trace::Span window) {
  return columns.end_ns[i] > window.start_ns && columns.start_ns[i] < window.end_ns;
}

std::vector<KernelReport> kernel_reports(const Trace& trace, trace::Span window, const std::vector<NameRule>& name_rules) {
  std::vector<std::int64_t> calls(trace.strings.size()), total_ns(trace.strings.size());
  std::int64_t all_ns = 0;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    if (!in_window(trace.kernels, i, window)) continue;
    const std::uint32_t name = trace.kernels.name[i].value;
    ++calls[name];
    total_ns[name] += trace.kernels.span(i).duration_ns();
    all_ns += trace.kernels.span(i).duration_ns();
  }
  std::vector<KernelReport> reports;
  Explainer explainer(name_rules);
  for (std::uint32_t name = 0; name < calls.size(); ++name) {
    if (calls[name] == 0) continue;
    const std::string_view text = trace.text(trace::StringId{name});
    const Explanation& explanation = explainer.explain(text);
    reports.push_back({.name = demangle(text), .label = explanation.label, .explained = explanation.sentence,
                       .op_class = explanation.op_class, .calls = calls[name], .total_ns = total_ns[name],
                       .share = share(total_ns[name], all_ns).value_or(0)});
  }
  std::stable_sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) {
    return std::tie(b.total_ns, a.name) < std::tie(a.total_ns, b.name);
  });
  return reports;
}

std::vector<CopyReport> copy_reports(const Trace& trace, const Metrics& metrics) {
  const trace::Copies& copies = trace.copies;
  using Key = std::pair<trace::CopyKind, trace::MemoryKind>;
  std::map<Key, CopyReport> by_kind;
  std::map<Key, std::size_t> largest_copy;
  std::map<Key, std::int64_t> sized_ns;  // of the copies whose size is known
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (!in_window(copies, i, metrics.window)) continue;
    const Key key{copies.kind[i], memory_of_copy(copies, i)};
    CopyReport& report = by_kind[key];
    const auto [largest, is_first] = largest_copy.try_emplace(key, i);
    if (!is_first && copies.bytes[i] > copies.bytes[largest->second]) largest->second = i;
    ++report.count;
    report.total_ns += copies.span(i).duration_ns();
    if (!copies.has_size(i)) continue;
    report.bytes += copies.bytes[i];
    sized_ns[key] += copies.span(i).duration_ns();
  }
  std::vector<CopyReport> reports;
  const HostLinks links(trace);
  for (auto& [key, report] : by_kind) {
    report.direction = name(key.first), report.memory = name(key.second);
    report.gbps = sized_ns[key] > 0 ? static_cast<double>(report.bytes) / static_cast<double>(sized_ns[key]) : 0;
    // Small copies are bound by what each costs to start: the link is nothing to hold them against.
    const std::size_t i = largest_copy[key];
    const bool is_link_bound = copies.bytes[i] >= thresholds::kLinkBoundBytes;
    if (const auto limit = links.limit(copies.device[i], copies.kind[i]); limit && is_link_bound) {
      report.link_gbps = limit->bytes_per_s / 1e9;
      report.link_source = limit->source;
    }
    if (!metrics.steps.spans.empty()) {
      // Copies of several GPUs run at the same time, so this share of one step may be above 1.
      report.share_of_step = metrics.per_step(report.total_ns) / step_ns(metrics);
    }
    reports.push_back(report);
  }
  std::stable_sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return reports;
}

std::vector<std::string> not_captured(const Trace& trace) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < static_cast<std::size_t>(trace::Table::count); ++t) {
    const auto table = static_cast<trace::Table>(t);
    // Whole-graph spans and op placement are there only when a program has them; their absence hides nothing.
    if (table == trace::Table::graph_launches || table == trace::Table::op_placements) continue;
    if (!trace.has(table)) names.emplace_back(name(table));
  }
  return names;
}

int rank_of(Verdict verdict) { return verdict == Verdict::found ? 0 : verdict == Verdict::could_not_look ? 1 : 2; }

// Of two findings that win the same, the one that says more of the cause comes first: waits and launches are how others show.
double rank_gain_ns(const Finding& finding) {
  const bool general = finding.rule == "sync-stalls" || finding.rule == "launch-bound";
  return (general ? 0.9 : 1.0) * static_cast<double>(finding.recoverable_ns_per_step);
}

// A warning without a known gain goes before what would win a little.
bool is_remark(const Finding& finding) { return finding.severity == Severity::info; }

void add_advice(Finding& finding, const Advice& advice) {
  const auto add = [&](const char* for_whom, const char* text) {
    if (*text != '\0') finding.advice.push_back(std::string(for_whom) + ": " + text);
  };
  add("PyTorch", advice.pytorch);
  add("TensorFlow", advice.tensorflow);
  add("CUDA", advice.cuda);
}

// Nothing under 1 % of the step is more than info. What a finding has no time for stays as its rule says.
void keep_small_ones_low(Finding& finding, const Metrics& metrics) {
  const double step = finding.step_now_ns > 0 ? finding.step_now_ns : step_ns(metrics);
  const auto most_ns = static_cast<double>(std::max(finding.at_stake_ns_per_step, finding.recoverable_ns_per_step));
  if (most_ns > 0 && most_ns < thresholds::kInfoShare * step) finding.severity = Severity::info;
}

std::vector<Finding> run_rules(const RuleInput& input) {
  std::vector<Finding> findings;
  for (const Rule* rule : all_rules()) {
    findings.push_back(rule->look(input));
    findings.back().rule = rule->name;
    findings.back().why.erase(findings.back().why.find_last_not_of(' ') + 1);  // sentences are put together one by one
    if (findings.back().verdict == Verdict::found) {
      add_advice(findings.back(), rule->advice);
      keep_small_ones_low(findings.back(), input.metrics);
    }
    if (findings.back().verdict == Verdict::nothing && findings.back().title.empty()) findings.back().title = rule->question;
    if (findings.back().verdict == Verdict::could_not_look && findings.back().title.empty()) findings.back().title = rule->question;
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(rank_of(a.verdict), is_remark(a), -rank_gain_ns(a), -a.at_stake_ns_per_step) <
           std::tuple(rank_of(b.verdict), is_remark(b), -rank_gain_ns(b), -b.at_stake_ns_per_step);
  });
  return findings;
}

}  // namespace

Diagnosis analyze(const Trace& trace, const std::vector<NameRule>& name_rules, const ThresholdSettings& settings, Scope scope) {
  const ThresholdScope threshold_scope(settings);
  const Metrics metrics = measure(trace, name_rules, scope);
  Diagnosis diagnosis;
  diagnosis.file = trace.metadata.file;
  diagnosis.producer = trace.metadata.producer;
  diagnosis.machine = trace.metadata.machine;
  diagnosis.simulated = trace.metadata.simulated;
  diagnosis.window = metrics.window;
  diagnosis.trace_span = trace.span();
  diagnosis.complete = trace.metadata.complete;
  diagnosis.incomplete_why = trace.metadata.incomplete_why;
  diagnosis.dropped = trace.metadata.dropped_records;
  diagnosis.not_captured = not_captured(trace);
  diagnosis.diagnostics = trace.diagnostics;
  if (auto remark = recorder_overhead(trace, metrics.window)) diagnosis.diagnostics.push_back(std::move(*remark));
  if (const auto graphs = static_cast<std::int64_t>(trace.graph_launches.size()); graphs > 0) {
    diagnosis.diagnostics.push_back({"launches of CUDA graphs were recorded as one span each, and count as kernels that run "
                                     "throughout it; gputrace record --graph-trace node shows what is in them", graphs});
  }
  diagnosis.steps = metrics.steps;
  auto concurrency = concurrency_limits(trace, metrics);
  std::vector<WorkParts> work = work_parts(trace, metrics);
  for (std::size_t i = 0; i < metrics.devices.size(); ++i) {
    const DeviceMetrics& device = metrics.devices[i];
    diagnosis.devices.push_back(device_report(trace, device, std::move(work[i]), metrics.window));
    if (const auto limits = concurrency.find(device.device); limits != concurrency.end()) diagnosis.devices.back().concurrency = std::move(limits->second);
  }
  diagnosis.kernels = kernel_reports(trace, metrics.window, name_rules);
  diagnosis.copies = copy_reports(trace, metrics);
  diagnosis.links = link_roofline(trace, metrics);
  const WhatIf what_if(trace, metrics);
  std::vector<std::vector<IdlePart>> idle = idle_reasons(trace, metrics, what_if);
  for (std::size_t i = 0; i < idle.size(); ++i) diagnosis.devices[i].idle = std::move(idle[i]);
  diagnosis.critical_path = find_critical_path(trace, metrics, what_if);
  diagnosis.findings = run_rules({trace, metrics, what_if});
  find_root_causes(diagnosis.findings, what_if);
  diagnosis.all_remedies_speedup = speedup_of_all_remedies(diagnosis.findings, what_if);
  diagnosis.nearest_bound = nearest_bound(trace, metrics);
  diagnosis.answers = answers(diagnosis, trace, metrics);
  diagnosis.changed_thresholds = settings.changed();
  diagnosis.charts = {.activity = activity_strips(trace, metrics, diagnosis.trace_span),
                      .step = step_picture(trace, metrics, diagnosis.findings, name_rules),
                      .traffic = place_traffic(trace, metrics),
                      .copy_sizes = copy_sizes(trace, metrics)};
  return diagnosis;
}

}  // namespace gputrace::analyzer
