#include "analyzer/diff/trace_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/diff/kernel_changes.h"
#include "analyzer/metrics.h"
#include "analyzer/signature_family.h"
#include "analyzer/steps.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::Trace;

constexpr std::size_t kFewestSteps = 3;  // with fewer, resampling has next to nothing to draw from
constexpr double kVisibleErrors = 2.8;   // 1.96 + 0.84: 95 % sure, in 80 % of the cases

// One side of the comparison.
struct Side {
  const Trace& trace;
  Metrics metrics;
  double gpus = 0;     // that ran anything
  trace::Span traced;  // without steps: from the first kernel on
  KernelTotals traced_kernels;

  Side(const Trace& of, const std::vector<NameRule>& name_rules)
      : trace(of), metrics(measure(of, name_rules)), traced(analysis_window(of, Steps{})) {
    gpus = static_cast<double>(std::count_if(metrics.devices.begin(), metrics.devices.end(),
                                             [](const DeviceMetrics& device) { return device.used; }));
    traced_kernels = kernel_totals(of, traced, 1);
  }
};

std::vector<std::int64_t> step_durations(const Steps& steps) {
  std::vector<std::int64_t> durations;
  for (std::size_t i = steps.warm_up; i < steps.spans.size(); ++i) {
    durations.push_back(std::max<std::int64_t>(1, steps.spans[i].duration_ns()));
  }
  return durations;
}

double total_calls(const KernelTotals& totals) {
  double calls = 0;
  for (const auto& [name, total] : totals) calls += total.calls;
  return calls;
}

double total_ns(const KernelTotals& totals) {
  double ns = 0;
  for (const auto& [name, total] : totals) ns += total.ns;
  return ns;
}

double kernels_per_step(const Side& side) {
  return total_calls(kernel_totals(side.trace, side.metrics.window, side.metrics.step_count));
}

// "" where a step of one trace is a step of the other.
std::string why_not_aligned(const Side& before, const Side& after) {
  const Steps &a = before.metrics.steps, &b = after.metrics.steps;
  if (a.spans.empty() && b.spans.empty()) return "neither trace has steps";
  if (a.spans.empty()) return "the first trace has no steps";
  if (b.spans.empty()) return "the second trace has no steps";
  if (a.source != b.source)
    return "one trace names its steps and in the other they are recognised by their period";
  if (a.source == StepSource::nvtx) return "";
  if (std::min(a.certainty, b.certainty) < thresholds::kSurePeriod) {
    return fmt::format("steps are recognised by the period of the kernels, which is sure to {:.0f} % in the first trace and {:.0f} % in the second", 100 * a.certainty,
                       100 * b.certainty);
  }
  const double fewer = kernels_per_step(before), more = kernels_per_step(after);
  if (std::max(fewer, more) <= thresholds::kSamePeriodFactor * std::min(fewer, more)) return "";
  return "the periods found have different numbers of kernels, so they may not be the same work";
}

StepComparison compare_steps(const Side& before, const Side& after) {
  StepComparison steps;
  steps.why = why_not_aligned(before, after);
  if (!steps.why.empty()) return steps;
  const auto a = step_durations(before.metrics.steps), b = step_durations(after.metrics.steps);
  steps.source = before.metrics.steps.source;
  steps.before_count = a.size();
  steps.after_count = b.size();
  const MedianChange change = median_change(a, b);
  steps.median_ns = {static_cast<double>(before.metrics.steps.median_ns),
                     static_cast<double>(after.metrics.steps.median_ns)};
  steps.verdict = StepVerdict::cannot_judge;
  if (std::min(a.size(), b.size()) < kFewestSteps) {
    steps.why = "fewer than three steps in a trace: no interval can be given";
    return steps;
  }
  steps.interval = change.interval;
  steps.smallest_visible =
      std::max<double>(thresholds::kSameStepShare, kVisibleErrors * change.standard_error);
  const bool certain = change.interval.low > 0 || change.interval.high < 0;
  steps.verdict = StepVerdict::no_change;
  if (certain && std::abs(change.change) >= thresholds::kSameStepShare) {
    steps.verdict = change.change > 0 ? StepVerdict::slower : StepVerdict::faster;
  }
  return steps;
}

// A step's time on one GPU, from a sum over all GPUs and steps.
double mean(double sum_ns, const Side& side, double units) {
  return side.gpus > 0 ? sum_ns / (side.gpus * units) : 0;
}

double exposed_communication_ns(const Side& side) {
  double ns = 0;
  for (const DeviceMetrics& device : side.metrics.devices) {
    for (unsigned activity = 0; activity < 16; ++activity) {
      if ((activity & kCommunication) != 0 && (activity & kCompute) == 0)
        ns += static_cast<double>(device.part_ns[activity]);
    }
  }
  return ns;
}

double idle_ns(const Side& side) {
  double ns = 0;
  for (const DeviceMetrics& device : side.metrics.devices) {
    if (device.used) ns += static_cast<double>(device.part_ns[0]);
  }
  return ns;
}

using Parts = std::map<std::string, Change>;

void add_parts(const Side& side, double units, double Change::*of, Parts& parts) {
  for (const DeviceMetrics& device : side.metrics.devices) {
    if (!device.used) continue;
    for (const TimePart& part : time_parts(device))
      parts[part.key].*of += mean(static_cast<double>(part.ns), side, units);
  }
}

void fill_side(const Side& side, bool per_step, double Change::*of, TraceDiff& diff, Parts& parts) {
  const double units = per_step ? side.metrics.step_count : 1;
  const double window_ns = static_cast<double>(side.metrics.window.duration_ns());
  diff.gpus.*of = side.gpus;
  diff.traced_ns.*of = static_cast<double>(side.traced.duration_ns());
  diff.traced_kernel_ns.*of = total_ns(side.traced_kernels);
  diff.unit_ns.*of = window_ns / units;
  diff.idle_ns.*of = mean(idle_ns(side), side, units);
  diff.busy_ns.*of = side.gpus > 0 ? window_ns / units - diff.idle_ns.*of : 0;
  diff.exposed_communication_ns.*of = mean(exposed_communication_ns(side), side, units);
  add_parts(side, units, of, parts);
}

std::vector<std::string> caveats(const Trace& before, const Trace& after) {
  std::vector<std::string> all;
  if (before.metadata.simulated != after.metadata.simulated) {
    all.emplace_back(
        "One trace is of a simulated machine and the other is not: their times cannot be compared.");
  }
  for (const auto& [trace, which] : {std::pair{&before, "first"}, std::pair{&after, "second"}}) {
    const std::string start = std::string("The ") + which + " trace ";
    if (!trace->metadata.complete)
      all.push_back(start + "is incomplete: " + trace->metadata.incomplete_why + ".");
    if (trace->metadata.dropped_records > 0)
      all.push_back(start + "lacks records that were dropped: its counts are too low.");
    if (!trace->has(trace::Table::kernels))
      all.push_back(start + "has no kernels: nothing can be said of the GPUs' work.");
    if (!trace->has(trace::Table::api_calls))
      all.push_back(start + "has no API calls: the causes of idle time are not known.");
  }
  return all;
}

}  // namespace

TraceDiff diff_traces(const Trace& before, const Trace& after, const std::vector<NameRule>& name_rules) {
  const Side first(before, name_rules), second(after, name_rules);
  TraceDiff diff;
  diff.before_file = before.metadata.file;
  diff.after_file = after.metadata.file;
  diff.before_simulated = before.metadata.simulated;
  diff.after_simulated = after.metadata.simulated;
  diff.caveats = caveats(before, after);
  if (first.gpus != second.gpus) {
    diff.caveats.push_back(fmt::format(
        "The first trace has work on {:.0f} {} and the second on {:.0f}: the figures are of one GPU.",
        first.gpus, first.gpus == 1 ? "GPU" : "GPUs", second.gpus));
  }
  diff.steps = compare_steps(first, second);
  diff.per_step = diff.steps.verdict != StepVerdict::not_aligned;
  Parts parts;
  fill_side(first, diff.per_step, &Change::before, diff, parts);
  fill_side(second, diff.per_step, &Change::after, diff, parts);
  for (const auto& [key, ns] : parts) diff.parts.push_back({key, ns});
  std::stable_sort(diff.parts.begin(), diff.parts.end(), [](const PartChange& a, const PartChange& b) {
    return std::abs(a.ns.difference()) > std::abs(b.ns.difference());
  });
  const auto totals = [&](const Side& side) {
    const double units = (diff.per_step ? side.metrics.step_count : 1) * std::max(1.0, side.gpus);
    return kernel_totals(side.trace, side.metrics.window, units);
  };
  const KernelTotals kernels_before = totals(first), kernels_after = totals(second);
  diff.kernel_ns = {total_ns(kernels_before), total_ns(kernels_after)};
  KernelChanges changes = compare_kernels(kernels_before, kernels_after,
                                          std::max(diff.unit_ns.before, diff.unit_ns.after), name_rules);
  diff.kernels = std::move(changes.by_name);
  diff.classes = std::move(changes.by_class);
  for (const KernelChange& one : diff.classes) {
    if (one.op_class == op_class::kCommunication) continue;
    diff.compute_kernel_ns.before += one.ns.before;
    diff.compute_kernel_ns.after += one.ns.after;
  }
  diff.scaling = find_scaling(diff);
  return diff;
}

}  // namespace gputrace::analyzer
