#include "analyzer/root_causes.h"

#include <array>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

namespace {

constexpr std::size_t kMostCauses = 4;  // a finding is tried against: each try is a replay

struct Cause {
  const Finding* finding;
  const Remedy* remedy;
};

double won_share(const Finding& finding) { return 1 - 1 / finding.predicted_speedup; }

bool explains(const Cause& cause, const Finding& finding, const Remedy& remedy, const WhatIf& what_if) {
  const std::array<const Remedy*, 2> both{cause.remedy, &remedy};
  const double more = (1 - what_if.try_together(both).share_after) - won_share(*cause.finding);
  return more < thresholds::kOwnGainShare * won_share(finding);
}

std::vector<const Remedy*> remedies_of_causes(const std::vector<Finding>& findings) {
  std::vector<const Remedy*> remedies;
  for (const Finding& finding : findings) {
    if (finding.verdict != Verdict::found || !finding.explained_by.empty() || finding.recoverable_ns_per_step <= 0) continue;
    if (const Remedy* remedy = find_remedy(finding.remedy)) remedies.push_back(remedy);
  }
  return remedies;
}

}  // namespace

void find_root_causes(std::vector<Finding>& findings, const WhatIf& what_if) {
  std::vector<Cause> causes;
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::found || finding.recoverable_ns_per_step <= 0) continue;
    const Remedy* remedy = find_remedy(finding.remedy);
    if (remedy == nullptr) continue;
    for (const Cause& cause : causes) {
      if (!explains(cause, finding, *remedy, what_if)) continue;
      finding.explained_by = cause.finding->rule;
      finding.severity = Severity::info;
      finding.why += " This is mostly the same time as that of " + finding.explained_by + " above: once that is remedied, this wins little more.";
      break;
    }
    if (finding.explained_by.empty() && causes.size() < kMostCauses) causes.push_back({&finding, remedy});
  }
}

double speedup_of_all_remedies(const std::vector<Finding>& findings, const WhatIf& what_if) {
  const std::vector<const Remedy*> remedies = remedies_of_causes(findings);
  if (remedies.size() < 2) return 1;
  const double share = what_if.try_together(remedies).share_after;
  return share > 0 ? 1 / share : 1;
}

}  // namespace gputrace::analyzer
