#include "analyzer/diff/scaling.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzer/diff/trace_diff.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

bool about_equal(double a, double b) { return a > 0 && std::abs(b / a - 1) < thresholds::kSameWorkShare; }

// By what it does not hide.
const char* group_of(const std::string& part) {
  if (part.starts_with("idle")) return "idle time";
  if (part.find("compute") != std::string::npos) return "computing";
  if (part.find("communication") != std::string::npos) return "exposed communication";
  return "copies that nothing hides";
}

}  // namespace

std::optional<Scaling> find_scaling(const TraceDiff& diff) {
  const Change& gpus = diff.gpus;
  if (!diff.per_step || gpus.before <= 0 || gpus.after <= 0 || gpus.before == gpus.after) return std::nullopt;
  const Change& compute = diff.compute_kernel_ns;
  const bool shared = about_equal(compute.before * gpus.before, compute.after * gpus.after);
  if (!shared && !about_equal(compute.before, compute.after)) return std::nullopt;
  Scaling scaling;
  scaling.work = shared ? Scaling::Work::shared : Scaling::Work::repeated;
  const double share = shared ? gpus.before / gpus.after : 1;
  scaling.ideal_ns = share * diff.unit_ns.before;
  scaling.actual_ns = diff.unit_ns.after;
  std::map<std::string, double> losses;
  for (const PartChange& part : diff.parts) losses[group_of(part.key)] += part.ns.after - share * part.ns.before;
  for (const auto& [what, ns] : losses) scaling.losses.push_back({what, ns});
  std::stable_sort(scaling.losses.begin(), scaling.losses.end(), [](const Scaling::Loss& a, const Scaling::Loss& b) { return a.ns > b.ns; });
  return scaling;
}

}  // namespace gputrace::analyzer
