#include "reports/diff_rows.h"

#include <cmath>

#include <fmt/format.h>

#include "reports/diff_wording.h"
#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::Change;
using analyzer::KernelChange;
using analyzer::TraceDiff;

constexpr std::size_t kKernelsShown = 15;

TimeRow time_row(std::string name, const Change& ns, bool is_part = false) {
  const std::string sign = ns.difference() > 0 ? "+" : "";
  return {std::move(name), is_part, duration(ns.before), duration(ns.after), sign + duration(ns.difference()),
          signed_percent(ns), ns.before, ns.after};
}

std::string calls(double n) { return fmt::format("{:.{}f}", n, n < 100 && n != std::floor(n) ? 1 : 0); }

}  // namespace

std::vector<TimeRow> time_rows(const TraceDiff& diff) {
  std::vector<TimeRow> rows{time_row(diff.per_step ? "step" : "window", diff.unit_ns), time_row("busy", diff.busy_ns),
                            time_row("idle", diff.idle_ns), time_row("exposed communication", diff.exposed_communication_ns)};
  for (const auto& part : diff.parts) rows.push_back(time_row(one_line(part_label(part.key)), part.ns, /*is_part=*/true));
  return rows;
}

std::vector<TimeRow> class_rows(const TraceDiff& diff) {
  std::vector<TimeRow> rows;
  for (const KernelChange& one : diff.classes) rows.push_back(time_row(one_line(one.label), one.ns));
  return rows;
}

ChangedKernels changed_kernels(const TraceDiff& diff) {
  ChangedKernels kernels;
  for (const KernelChange& kernel : diff.kernels) {
    if (kernel.fate == analyzer::KernelFate::same || ++kernels.changed > kKernelsShown) continue;
    kernels.rows.push_back({analyzer::name(kernel.fate), duration(kernel.ns.before), duration(kernel.ns.after),
                            signed_percent(kernel.ns), calls(kernel.calls.before), calls(kernel.calls.after),
                            one_line(kernel.label.empty() ? kernel.name : kernel.label)});
  }
  return kernels;
}

std::string diff_simulated_line(const TraceDiff& diff) {
  if (diff.before_simulated && diff.after_simulated) return "simulated: times are modelled";
  return diff.before_simulated || diff.after_simulated ? "one of them is simulated: its times are modelled" : "";
}

}  // namespace gputrace::reports
