#include "reports/wording.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/critical_path_wording.h"
#include "reports/quantities.h"

namespace gputrace::reports {
namespace {

using analyzer::Diagnosis;
using analyzer::Finding;
using analyzer::Severity;
using analyzer::Verdict;

constexpr double kFactorFrom = 1.1;  // a smaller gain reads better in percent

bool any_gpu_work(const Diagnosis& diagnosis) {
  const auto used = [](const analyzer::DeviceReport& device) { return device.used; };
  return !diagnosis.kernels.empty() || !diagnosis.copies.empty() ||
         std::any_of(diagnosis.devices.begin(), diagnosis.devices.end(), used);
}

std::string with_period(std::string sentence) {
  if (!sentence.empty() && sentence.back() != '.' && sentence.back() != '!' && sentence.back() != '?') sentence += '.';
  return sentence;
}

// What "nothing found" rests on.
std::string utilization_sentence(const Diagnosis& diagnosis) {
  const std::string range = utilization_range(diagnosis);
  return range.empty() ? "" : " Kernels run on the GPUs " + range + " of the time.";
}

// Gains do not add up, so what all remedies give is said where there are several.
std::string all_remedies(const Diagnosis& diagnosis) {
  if (diagnosis.all_remedies_speedup <= 1) return "";
  return fmt::format(" With the remedies of all findings: {}.", factor(diagnosis.all_remedies_speedup));
}

// A run whose GPUs hardly compute is not called healthy because no rule names the cause; "" where they do compute.
std::string unexplained_idleness(const Diagnosis& diagnosis) {
  const auto found = with_verdict(diagnosis, Verdict::found);
  const auto low = std::find_if(found.begin(), found.end(), [](const Finding* finding) { return finding->rule == "low-compute-utilization"; });
  if (low == found.end()) return "";
  std::string text = (*low)->title + ", and none of the causes that were looked for explains it.";
  const std::vector<std::string> idle = idle_lines(diagnosis);
  const auto of_same = std::find_if(idle.begin(), idle.end(), [&](const std::string& line) {
    const auto& evidence = (*low)->evidence;
    return !evidence.empty() && evidence.front().device && line.starts_with(fmt::format("GPU {},", evidence.front().device->value));
  });
  return of_same == idle.end() ? text : text + " " + with_period(*of_same);
}

std::string nothing_found(const Diagnosis& diagnosis) {
  const std::size_t unseen = with_verdict(diagnosis, Verdict::could_not_look).size();
  const std::size_t asked = diagnosis.findings.size();
  if (asked == unseen) return "Nothing could be judged: the trace lacks what the questions need (listed below).";
  std::string text = unexplained_idleness(diagnosis);
  if (text.empty()) {
    text = "No bottleneck worth a change.";
    text += diagnosis.nearest_bound.sentence.empty() ? utilization_sentence(diagnosis) : " " + diagnosis.nearest_bound.sentence;
  }
  if (unseen > 0) text += fmt::format(" {} of {} questions could not be looked at.", unseen, asked);
  return text;
}

}  // namespace

std::string verdict(const Diagnosis& diagnosis) {
  const auto found = with_verdict(diagnosis, Verdict::found);
  const auto serious = std::find_if(found.begin(), found.end(), [](const Finding* finding) {
    return finding->severity != Severity::info;
  });
  if (serious != found.end()) {
    const std::string win = gain(diagnosis, **serious);
    std::string text = with_period((*serious)->title);
    if (!win.empty()) text += " With the remedy below, " + win + ".";
    return text + all_remedies(diagnosis);
  }
  if (!any_gpu_work(diagnosis)) return "The trace holds no work on a GPU, so there is nothing to judge.";
  return nothing_found(diagnosis);
}

std::string utilization_range(const Diagnosis& diagnosis) {
  double least = 2, most = -1;
  for (const auto& device : diagnosis.devices) {
    if (!device.used || !device.compute_utilization) continue;
    least = std::min(least, *device.compute_utilization);
    most = std::max(most, *device.compute_utilization);
  }
  if (most < 0) return "";
  return percent(least) == percent(most) ? percent(most) : percent(least) + " to " + percent(most);
}

std::string gain(const Diagnosis& diagnosis, const Finding& finding) {
  if (finding.recoverable_ns_per_step <= 0) return "";
  const auto recoverable_ns = static_cast<double>(finding.recoverable_ns_per_step);
  const bool steps = diagnosis.steps.median_ns > 0;
  double step_ns = static_cast<double>(steps ? diagnosis.steps.median_ns : diagnosis.window.duration_ns());
  if (finding.step_now_ns > 0) step_ns = finding.step_now_ns;
  const double after_ns = finding.predicted_speedup > 1 ? step_ns / finding.predicted_speedup : step_ns - recoverable_ns;
  if (after_ns <= 0) return fmt::format("{} less{}", duration(recoverable_ns), steps ? " per step" : "");
  const char* const what = steps ? "a step" : "the same work";
  if (duration(after_ns) == duration(step_ns)) return fmt::format("{} takes about {} less of {}", what, duration(step_ns - after_ns), duration(step_ns));
  const bool small = step_ns < kFactorFrom * after_ns;
  const std::string ratio = small ? percent(1 - after_ns / step_ns) + " less" : factor(step_ns / after_ns);
  return fmt::format("{} takes about {} instead of {} ({})", what, duration(after_ns),
                     duration(step_ns), ratio);
}

std::string steps_line(const Diagnosis& diagnosis) {
  const analyzer::Steps& steps = diagnosis.steps;
  if (steps.source == analyzer::StepSource::none || steps.spans.empty()) {
    std::string whole = "no steps recognised: the figures are of ";
    if (diagnosis.window == diagnosis.trace_span) return whole + "the whole trace";
    return whole + fmt::format("{} of {} traced", duration(static_cast<double>(diagnosis.window.duration_ns())),
                               duration(static_cast<double>(diagnosis.trace_span.duration_ns())));
  }
  const bool from_ranges = steps.source == analyzer::StepSource::nvtx;
  const std::string source = from_ranges ? "from NVTX ranges" : fmt::format("recognised by their period, {} sure", percent(steps.certainty));
  std::string text = fmt::format("{} step{} ({}", count(static_cast<std::int64_t>(steps.spans.size())),
                                 steps.spans.size() == 1 ? "" : "s", source);
  if (steps.warm_up > 0) text += fmt::format("; the first {} left out as warm-up", steps.warm_up);
  return text + "), median " + duration(static_cast<double>(steps.median_ns));
}

std::string simulated_line(const Diagnosis& diagnosis) {
  if (!diagnosis.simulated) return "";
  const std::string machine = diagnosis.machine.empty() ? "not named" : diagnosis.machine;
  return "simulated: times are modelled (machine " + machine + ")";
}

std::string completeness_line(const Diagnosis& diagnosis) {
  std::string text = diagnosis.complete ? "recorded to its end" : "incomplete";
  if (!diagnosis.complete && !diagnosis.incomplete_why.empty()) text += ": " + diagnosis.incomplete_why;
  if (diagnosis.dropped == 0) return text + "; no record was dropped";
  return text + fmt::format("; {} record{} dropped, so counts and times are too low", count(diagnosis.dropped),
                            diagnosis.dropped == 1 ? " was" : "s were");
}

std::string part_label(const std::string& key) {
  const std::string idle = "idle.";
  std::string label = key.rfind(idle, 0) == 0 ? "idle: " + key.substr(idle.size()) : key;
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string evidence_place(const Diagnosis& diagnosis, const analyzer::Evidence& evidence) {
  const double at_ns =
      static_cast<double>(evidence.span.start_ns) - static_cast<double>(diagnosis.trace_span.start_ns);
  const std::string device = evidence.device ? fmt::format("GPU {}, ", evidence.device->value) : "";
  return device + "at " + duration(at_ns) + ", " + duration(static_cast<double>(evidence.span.duration_ns()));
}

std::string copy_name(const analyzer::CopyReport& copy) {
  return copy.memory.empty() ? copy.direction : copy.direction + ", " + copy.memory;
}

std::string copy_bytes(const analyzer::CopyReport& copy) {
  return copy.bytes > 0 ? byte_count(static_cast<double>(copy.bytes)) : "not captured";
}

std::string copy_rate(const analyzer::CopyReport& copy) {
  if (copy.bytes <= 0) return "-";
  if (!copy.link_gbps) return rate(copy.gbps);
  const std::string now = rate(copy.gbps), link = rate(*copy.link_gbps), unit = " GB/s";
  const bool same_unit = now.ends_with(unit) && link.ends_with(unit);
  return (same_unit ? now.substr(0, now.size() - unit.size()) : now) + " of " + link;
}

std::string kernel_meaning(const analyzer::KernelReport& kernel) {
  if (kernel.explained.empty() || kernel.op_class == "other") return "";
  return kernel.explained.starts_with(kernel.label) ? kernel.explained : kernel.label + ": " + kernel.explained;
}

const char* name(Severity severity) {
  switch (severity) {
    case Severity::critical: return "critical";
    case Severity::warning: return "warning";
    case Severity::info: break;
  }
  return "info";
}

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::found: return "found";
    case Verdict::nothing: return "nothing";
    case Verdict::could_not_look: break;
  }
  return "could_not_look";
}

std::vector<const Finding*> with_verdict(const Diagnosis& diagnosis, Verdict verdict) {
  std::vector<const Finding*> findings;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.verdict == verdict) findings.push_back(&finding);
  }
  return findings;
}

std::int64_t sum_ns(const std::vector<analyzer::TimePart>& parts) {
  std::int64_t sum = 0;
  for (const auto& part : parts) sum += part.ns;
  return sum;
}

}  // namespace gputrace::reports
