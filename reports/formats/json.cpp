// The report for programs: reports/report.schema.json describes it. Version 1 only grows; a key never changes its meaning.
#include <cmath>

#include <nlohmann/json.hpp>

#include "analyzer/thresholds.h"
#include "reports/format.h"
#include "reports/plain_text.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using Json = nlohmann::ordered_json;
using analyzer::Diagnosis;

constexpr int kVersion = 1;

Json text_of(std::string_view text) { return valid_utf8(text); }

// JSON has no infinities: what is no number is null, as what was not captured.
Json number(std::optional<double> value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

Json strings(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const auto& text : texts) list.push_back(text_of(text));
  return list;
}

Json trace_of(const Diagnosis& diagnosis) {
  Json diagnostics = Json::array();
  for (const auto& d : diagnosis.diagnostics) diagnostics.push_back({{"what", text_of(d.what)}, {"count", d.count}});
  return {{"file", text_of(diagnosis.file)},
          {"producer", text_of(diagnosis.producer)},
          {"simulated", diagnosis.simulated},
          {"machine", text_of(diagnosis.machine)},
          {"start_ns", diagnosis.trace_span.start_ns},
          {"end_ns", diagnosis.trace_span.end_ns},
          {"window_start_ns", diagnosis.window.start_ns},
          {"window_end_ns", diagnosis.window.end_ns},
          {"complete", diagnosis.complete},
          {"incomplete_why", text_of(diagnosis.incomplete_why)},
          {"dropped", diagnosis.dropped},
          {"not_captured", strings(diagnosis.not_captured)},
          {"diagnostics", std::move(diagnostics)}};
}

Json steps_of(const analyzer::Steps& steps) {
  const char* source = "none";
  if (steps.source == analyzer::StepSource::nvtx) source = "nvtx";
  if (steps.source == analyzer::StepSource::periodicity) source = "periodicity";
  return {{"count", steps.spans.size()}, {"warm_up", steps.warm_up}, {"median_ns", steps.median_ns}, {"source", source}, {"certainty", number(steps.certainty)}};
}

// Parts with a cause go below "idle"; idle without one has the cause "unknown". Null where nothing was captured.
Json time_of(const std::vector<analyzer::TimePart>& parts) {
  if (parts.empty()) return nullptr;
  const std::string_view prefix = "idle.";
  Json time = Json::object(), idle = Json::object();
  for (const auto& part : parts) {
    const std::string key = valid_utf8(part.key);
    const bool is_idle = key == "idle" || key.rfind(prefix, 0) == 0;
    const std::string cause = key == "idle" ? "unknown" : key.substr(is_idle ? prefix.size() : 0);
    Json& group = is_idle ? idle : time;
    group[cause] = group.value(cause, std::int64_t{0}) + part.ns;
  }
  time["idle"] = std::move(idle);
  return time;
}

Json work_of(const std::vector<analyzer::TimePart>& parts) {
  if (parts.empty()) return nullptr;
  Json work = Json::object();
  for (const auto& part : parts) work[valid_utf8(part.key)] = part.ns;
  return work;
}

// Null: the trace does not say what waited for what.
Json idle_of(const analyzer::DeviceReport& device) {
  if (device.idle.empty()) return nullptr;
  Json list = Json::array();
  for (const auto& part : device.idle) {
    list.push_back({{"reason", text_of(part.reason)},
                    {"where", text_of(part.where)},
                    {"ns", part.ns},
                    {"gaps", part.gaps},
                    {"longest_start_ns", part.longest.start_ns},
                    {"longest_end_ns", part.longest.end_ns}});
  }
  return list;
}

Json critical_path_of(const Diagnosis& diagnosis) {
  if (!diagnosis.critical_path) return nullptr;
  Json parts = Json::array(), steps = Json::array(), near = Json::array();
  for (const auto& part : diagnosis.critical_path->parts) parts.push_back({{"what", text_of(part.what)}, {"ns", part.ns}});
  for (const auto& step : diagnosis.critical_path->steps) {
    steps.push_back({{"step", step.step}, {"ns", step.ns}, {"largest", text_of(step.largest.what)}, {"largest_ns", step.largest.ns}});
  }
  for (const auto& path : diagnosis.critical_path->near) near.push_back({{"who", text_of(path.who)}, {"float_ns", path.float_ns}});
  return {{"parts", std::move(parts)}, {"steps", std::move(steps)}, {"near", std::move(near)}};
}

Json step_parts_of(const std::vector<analyzer::StepParts>& steps) {
  Json list = Json::array();
  for (const auto& step : steps) {
    list.push_back({{"start_ns", step.span.start_ns}, {"end_ns", step.span.end_ns}, {"steps", step.steps}, {"time_ns", time_of(step.parts)}, {"work_ns", work_of(step.work)}});
  }
  return list;
}

Json concurrency_of(const std::optional<analyzer::ConcurrencyReport>& report) {
  if (!report) return nullptr;
  Json limits = Json::array();
  for (const auto& limit : report->limits) limits.push_back({{"reason", text_of(limit.reason)}, {"pairs", limit.pairs}, {"ns", limit.ns}});
  return {{"limits", std::move(limits)},
          {"overlapping_pairs", report->overlapping_pairs},
          {"streams_win_at_most_ns", report->fill_known ? Json(report->streams_win_at_most_ns) : Json(nullptr)}};
}

Json devices_of(const Diagnosis& diagnosis) {
  Json devices = Json::array();
  for (const auto& device : diagnosis.devices) {
    devices.push_back({{"id", device.device.value},
                       {"name", text_of(device.name)},
                       {"used", device.used},
                       {"compute_utilization", number(device.compute_utilization)},
                       {"kernel_concurrency", number(device.kernel_concurrency)},
                       {"copy_overlap", number(device.copy_overlap)},
                       {"time_ns", time_of(device.parts)},
                       {"work_ns", work_of(device.work)},
                       {"idle", idle_of(device)},
                       {"concurrency", concurrency_of(device.concurrency)},
                       {"steps", step_parts_of(device.steps)}});
  }
  return devices;
}

Json kernels_of(const Diagnosis& diagnosis) {
  Json kernels = Json::array();
  for (const auto& kernel : diagnosis.kernels) {
    kernels.push_back({{"name", text_of(kernel.name)},
                       {"label", text_of(kernel.label)},
                       {"explained", text_of(kernel.explained)},
                       {"class", text_of(kernel.op_class)},
                       {"calls", kernel.calls},
                       {"total_ns", kernel.total_ns},
                       {"share", number(kernel.share)}});
  }
  return kernels;
}

Json copies_of(const Diagnosis& diagnosis) {
  Json copies = Json::array();
  for (const auto& copy : diagnosis.copies) {
    copies.push_back({{"direction", text_of(copy.direction)},
                      {"memory", text_of(copy.memory)},
                      {"count", copy.count},
                      {"bytes", copy.bytes > 0 ? Json(copy.bytes) : Json()},
                      {"total_ns", copy.total_ns},
                      {"gbps", copy.bytes > 0 ? number(copy.gbps) : Json()},
                      {"link_gbps", number(copy.link_gbps)},
                      {"link_source", text_of(copy.link_source)},
                      {"share_of_step", number(copy.share_of_step)}});
  }
  return copies;
}

Json link_uses_of(const std::vector<analyzer::LinkUse>& uses) {
  Json list = Json::array();
  for (const auto& use : uses) {
    list.push_back({{"device", use.device.value},
                    {"direction", text_of(use.direction)},
                    {"memory", text_of(use.memory)},
                    {"size", text_of(use.size)},
                    {"count", use.count},
                    {"bytes", use.bytes},
                    {"total_ns", use.total_ns},
                    {"exposed_ns", use.exposed_ns ? Json(*use.exposed_ns) : Json(nullptr)},
                    {"beside_ns", use.beside_ns},
                    {"gbps", number(use.gbps)},
                    {"link_gbps", number(use.link_gbps)},
                    {"link_source", text_of(use.link_source)},
                    {"shared_by", use.shared_by},
                    {"shared_gbps", number(use.shared_gbps)},
                    {"of_others", number(use.of_others)}});
  }
  return list;
}

Json links_of(const analyzer::LinkRoofline& links) {
  Json peers = Json::array(), faults = Json::array();
  for (const auto& peer : links.peers) {
    peers.push_back({{"from", peer.from.value},
                     {"to", peer.to.value},
                     {"count", peer.count},
                     {"bytes", peer.bytes},
                     {"total_ns", peer.total_ns},
                     {"gbps", number(peer.gbps)},
                     {"best_gbps", number(peer.best_gbps)},
                     {"kind", text_of(peer.kind)},
                     {"source", text_of(peer.source)},
                     {"link_gbps", number(peer.link_gbps)}});
  }
  for (const auto& fault : links.faults) {
    faults.push_back({{"device", fault.device.value},
                      {"kind", text_of(fault.kind)},
                      {"text", text_of(fault.text)},
                      {"to_device_factor", number(fault.to_device_factor)},
                      {"from_device_factor", number(fault.from_device_factor)}});
  }
  return {{"host", link_uses_of(links.uses)}, {"peers", std::move(peers)}, {"faults", std::move(faults)}, {"left_out", links.left_out}};
}

Json copy_sizes_of(const Diagnosis& diagnosis) {
  Json sizes = Json::array();
  for (const auto& size : diagnosis.charts.copy_sizes) {
    sizes.push_back({{"direction", text_of(size.direction)},
                     {"memory", text_of(size.memory)},
                     {"from_bytes", size.from_bytes},
                     {"below_bytes", size.below_bytes > 0 ? Json(size.below_bytes) : Json(nullptr)},
                     {"count", size.count},
                     {"bytes", size.bytes},
                     {"total_ns", size.total_ns}});
  }
  return sizes;
}

Json evidence_of(const analyzer::Finding& finding) {
  Json list = Json::array();
  for (const auto& evidence : finding.evidence) {
    list.push_back({{"start_ns", evidence.span.start_ns},
                    {"end_ns", evidence.span.end_ns},
                    {"device", evidence.device ? Json(evidence.device->value) : Json(nullptr)},
                    {"text", text_of(evidence.text)}});
  }
  return list;
}

Json findings_of(const Diagnosis& diagnosis) {
  Json findings = Json::array();
  for (const auto& finding : diagnosis.findings) {
    findings.push_back({{"rule", text_of(finding.rule)},
                        {"verdict", name(finding.verdict)},
                        {"severity", name(finding.severity)},
                        {"title", text_of(finding.title)},
                        {"why", text_of(finding.why)},
                        {"at_stake_ns_per_step", finding.at_stake_ns_per_step},
                        {"recoverable_ns_per_step", finding.recoverable_ns_per_step},
                        {"predicted_speedup", number(finding.predicted_speedup)},
                        {"remedy", text_of(finding.remedy)},
                        {"explained_by", text_of(finding.explained_by)},
                        {"evidence", evidence_of(finding)},
                        {"advice", strings(finding.advice)}});
  }
  return findings;
}

Json nearest_bound_of(const analyzer::NearestBound& bound) {
  if (bound.kind.empty()) return nullptr;
  return {{"kind", text_of(bound.kind)}, {"share", number(bound.share)}, {"text", text_of(bound.sentence)}};
}

Json answers_of(const Diagnosis& diagnosis) {
  Json list = Json::array();
  for (const auto& answer : diagnosis.answers) list.push_back({{"question", text_of(answer.question)}, {"answer", text_of(answer.answer)}});
  return list;
}

Json changed_thresholds_of(const Diagnosis& diagnosis) {
  Json list = Json::array();
  for (const auto& it : diagnosis.changed_thresholds) list.push_back({{"name", it.threshold->name}, {"value", number(it.value)}, {"standard", it.threshold->value}});
  return list;
}

std::string render(const Diagnosis& diagnosis, const FormatOptions&) {
  const Json report{{"format", "gputrace.report"},
                    {"version", kVersion},
                    {"trace", trace_of(diagnosis)},
                    {"steps", steps_of(diagnosis.steps)},
                    {"devices", devices_of(diagnosis)},
                    {"critical_path", critical_path_of(diagnosis)},
                    {"kernels", kernels_of(diagnosis)},
                    {"copies", copies_of(diagnosis)},
                    {"links", links_of(diagnosis.links)},
                    {"copy_sizes", copy_sizes_of(diagnosis)},
                    {"all_remedies_speedup", number(diagnosis.all_remedies_speedup)},
                    {"findings", findings_of(diagnosis)},
                    {"nearest_bound", nearest_bound_of(diagnosis.nearest_bound)},
                    {"answers", answers_of(diagnosis)},
                    {"changed_thresholds", changed_thresholds_of(diagnosis)}};
  return report.dump(2) + "\n";
}

}  // namespace

extern const Format json{.name = "json", .file_extension = "json", .render = render};

}  // namespace gputrace::reports
