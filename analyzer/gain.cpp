#include "analyzer/gain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

Severity severity_of(double share_of_step) {
  if (share_of_step >= thresholds::kCriticalShare) return Severity::critical;
  return share_of_step >= thresholds::kWarningShare ? Severity::warning : Severity::info;
}

void set_gain(Finding& finding, double now_ns, double after_ns) {
  const double won_ns = std::max(0.0, now_ns - after_ns);
  finding.recoverable_ns_per_step = std::llround(won_ns);
  finding.predicted_speedup = now_ns / (now_ns - won_ns);
  finding.severity = severity_of(won_ns / now_ns);
}

double step_ns(const Metrics& metrics) {
  const std::int64_t ns = metrics.steps.median_ns > 0 ? metrics.steps.median_ns : metrics.window.duration_ns();
  return static_cast<double>(std::max<std::int64_t>(1, ns));
}

const char* step_word(const Metrics& metrics) { return metrics.steps.spans.empty() ? "the traced time" : "the step"; }
const char* per_step(const Metrics& metrics) { return metrics.steps.spans.empty() ? "in the traced time" : "per step"; }

void add_keeping_longest(std::vector<Evidence>& evidence, Evidence one) {
  evidence.push_back(std::move(one));
  if (evidence.size() >= 4 * kMaxEvidence) keep_longest(evidence);
}

void keep_longest(std::vector<Evidence>& evidence) {
  std::stable_sort(evidence.begin(), evidence.end(),
                   [](const Evidence& a, const Evidence& b) { return a.span.duration_ns() > b.span.duration_ns(); });
  if (evidence.size() > kMaxEvidence) evidence.resize(kMaxEvidence);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string milliseconds(double ns) {
  if (ns >= 1e9) return fmt::format("{:.2f} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.1f} ms", ns / 1e6);
  return fmt::format("{:.0f} us", ns / 1e3);
}

std::string time_change(const Metrics& metrics, double after_ns, double now_ns) {
  const char* const what = metrics.steps.spans.empty() ? "the same work" : "a step";
  std::string after = milliseconds(after_ns), now = milliseconds(now_ns);
  const double unit_ns = now_ns >= 1e9 ? 1e9 : now_ns >= 1e6 ? 1e6 : 1e3;
  constexpr int kMostDigits = 6;  // behind the point: from there on it is no change
  for (int digits = 2; after == now && digits <= kMostDigits; ++digits) {
    const char* const unit = unit_ns == 1e9 ? "s" : unit_ns == 1e6 ? "ms" : "us";
    after = fmt::format("{:.{}f} {}", after_ns / unit_ns, digits, unit);
    now = fmt::format("{:.{}f} {}", now_ns / unit_ns, digits, unit);
  }
  if (after == now) return fmt::format("{} takes {} as before", what, milliseconds(now_ns));
  return fmt::format("{} takes {} instead of {}", what, after, now);
}

std::string gigabytes(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.1f} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.1f} MB", bytes / 1e6);
  if (bytes >= 1e3) return fmt::format("{:.1f} KB", bytes / 1e3);
  return fmt::format("{:.0f} bytes", bytes);
}

std::string gigabytes_per_second(double bytes_per_s) { return fmt::format("{:.1f} GB/s", bytes_per_s / 1e9); }

}  // namespace gputrace::analyzer
