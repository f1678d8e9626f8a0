#include "reports/diff_wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/thresholds.h"
#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Change;
using analyzer::StepVerdict;
using analyzer::TraceDiff;
namespace thresholds = analyzer::thresholds;

constexpr double kAllOfIt = 0.9, kMostOfIt = 0.5;  // shares of a change that one part of the step explains

std::string from_to(const Change& ns) { return duration(ns.before) + " to " + duration(ns.after); }

std::string more_or_less(const Change& change, const char* more, const char* less) {
  return fmt::format("{} {}", percent(std::abs(change.relative().value_or(1))),
                     change.difference() > 0 ? more : less);
}

// Whether a difference is worth a word: a share of the step, so that a small part's large percentage is none.
bool matters(const Change& ns, const Change& of) {
  const double of_ns = std::max(of.before, of.after);
  return of_ns > 0 && std::abs(ns.difference()) >= thresholds::kSameStepShare * of_ns;
}

bool about_equal(const Change& ns) {
  return ns.before > 0 && std::abs(*ns.relative()) < thresholds::kSameStepShare;
}

std::string work_clause(const Change& kernel_ns) {
  if (kernel_ns.before == 0 && kernel_ns.after == 0) return "";
  if (kernel_ns.before == 0) return "GPU work only in the second trace";
  if (about_equal(kernel_ns))
    return fmt::format("kernels unchanged ({}, {})", duration(kernel_ns.before), duration(kernel_ns.after));
  return more_or_less(kernel_ns, "more GPU work", "less GPU work");
}

std::string communication_clause(const TraceDiff& diff) {
  const Change& ns = diff.exposed_communication_ns;
  if (!matters(ns, diff.unit_ns)) return "";
  return fmt::format("{} exposed communication ({})", ns.difference() > 0 ? "more" : "less", from_to(ns));
}

// What of the step's change is idle time; where the step has not changed, idle time that took the place of
// work.
std::string idle_clause(const TraceDiff& diff) {
  const Change& idle = diff.idle_ns;
  if (!matters(idle, diff.unit_ns)) return "";
  const bool changed = diff.steps.verdict == StepVerdict::slower || diff.steps.verdict == StepVerdict::faster;
  const double explained = changed ? idle.difference() / diff.unit_ns.difference() : 0;
  if (explained >= kAllOfIt) return fmt::format("all of the change is idle time ({})", from_to(idle));
  if (explained >= kMostOfIt) return fmt::format("most of the change is idle time ({})", from_to(idle));
  return fmt::format("{} idle time ({})", idle.difference() > 0 ? "more" : "less", from_to(idle));
}

std::string step_clause(const TraceDiff& diff) {
  const Change& ns = diff.steps.median_ns;
  switch (diff.steps.verdict) {
    case StepVerdict::no_change:
      return fmt::format("no change in step time ({})", from_to(ns));
    case StepVerdict::slower:
      return fmt::format("step time {}: {} longer", from_to(ns), percent(*ns.relative()));
    case StepVerdict::faster:
      return fmt::format("step time {}: {} shorter", from_to(ns), percent(-*ns.relative()));
    case StepVerdict::cannot_judge:
      return fmt::format("step time {}, of too few steps to judge", from_to(ns));
    case StepVerdict::not_aligned:
      break;
  }
  const Change& traced = diff.traced_ns;
  if (traced.before == 0 && traced.after == 0) return "neither trace has work on a GPU";
  if (about_equal(traced)) return fmt::format("no change in the traced time ({})", from_to(traced));
  return fmt::format("no steps to compare; traced time {}", from_to(traced));
}

// Recordings cut to one length: what is in them changes, not how long they are. Said before the periods,
// since a period may be a part of what the user calls a step.
std::string window_clause(const TraceDiff& diff) {
  if (diff.steps.source != analyzer::StepSource::periodicity || !about_equal(diff.traced_ns)) return "";
  if (diff.traced_kernel_ns.before <= 0 || about_equal(diff.traced_kernel_ns)) return "";
  return fmt::format("no change in the traced time ({}) and {} in it", from_to(diff.traced_ns),
                     work_clause(diff.traced_kernel_ns));
}

}  // namespace

std::string diff_sentence(const TraceDiff& diff) {
  std::string text = window_clause(diff);
  const std::string step = step_clause(diff);
  text += text.empty() ? step : "; by the period of the kernels, " + step;
  std::string details;
  for (const std::string& clause :
       {work_clause(diff.compute_kernel_ns), communication_clause(diff), idle_clause(diff)}) {
    if (!clause.empty()) details += (details.empty() ? "" : ", ") + clause;
  }
  return details.empty() ? text : text + "; " + details;
}

std::string scaling_sentence(const TraceDiff& diff) {
  if (!diff.scaling) return "";
  const analyzer::Scaling& scaling = *diff.scaling;
  const bool shared = scaling.work == analyzer::Scaling::Work::shared;
  std::string text = fmt::format("{:.0f} {} {}: a step would take {} by their number alone; it takes {}, {} of what they could give.", diff.gpus.after,
                                 diff.gpus.after == 1 ? "GPU does" : shared ? "GPUs share" : "GPUs do each", shared ? fmt::format("the work of {:.0f}", diff.gpus.before) : "what each did before",
                                 duration(scaling.ideal_ns), duration(scaling.actual_ns), percent(scaling.efficiency()));
  std::string lost;
  for (const analyzer::Scaling::Loss& loss : scaling.losses)
    if (loss.ns >= thresholds::kSameStepShare * scaling.actual_ns) lost += fmt::format("{}{} of {}", lost.empty() ? "" : ", ", duration(loss.ns), loss.what);
  if (!lost.empty()) text += " Lost in each step: " + lost + ".";
  return text;
}

std::string diff_certainty(const TraceDiff& diff) {
  const analyzer::StepComparison& steps = diff.steps;
  if (steps.verdict == StepVerdict::not_aligned) {
    return "Steps are not aligned: " + steps.why + ". A longer trace is then not a slower run.";
  }
  std::string text = fmt::format(
      "{} and {} steps {}", steps.before_count, steps.after_count,
      steps.source == analyzer::StepSource::nvtx ? "by NVTX ranges" : "by the period of the kernels");
  if (steps.verdict == StepVerdict::cannot_judge) return text + ": " + steps.why + ".";
  const auto bound = [](double share) { return fmt::format("{:+.1f} %", 100 * share); };
  return text +
         fmt::format("; 95 % interval of the change {} to {}; the smallest change that could be seen is {}.",
                     bound(steps.interval.low), bound(steps.interval.high), percent(steps.smallest_visible));
}

std::string signed_percent(const Change& change) {
  if (const auto relative = change.relative()) return fmt::format("{:+.1f} %", 100 * *relative);
  return change.after > 0 ? "new" : "-";
}

const char* diff_unit(const TraceDiff& diff) {
  return diff.per_step ? "per step and GPU" : "over the whole window, per GPU";
}

const char* name(StepVerdict verdict) {
  switch (verdict) {
    case StepVerdict::not_aligned:
      return "not_aligned";
    case StepVerdict::cannot_judge:
      return "cannot_judge";
    case StepVerdict::no_change:
      return "no_change";
    case StepVerdict::slower:
      return "slower";
    case StepVerdict::faster:
      break;
  }
  return "faster";
}

}  // namespace gputrace::reports
