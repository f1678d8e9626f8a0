#include "analyzer/root_causes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

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

void put_under(Finding& finding, const std::string& cause) {
  finding.explained_by = cause;
  finding.severity = Severity::info;
  finding.why += " This is mostly the same time as that of " + cause + ": once that is remedied, this wins little more.";
}

std::vector<const Remedy*> remedies_of_causes(const std::vector<Finding>& findings) {
  std::vector<const Remedy*> remedies;
  for (const Finding& finding : findings) {
    if (finding.verdict != Verdict::found || !finding.explained_by.empty() || finding.recoverable_ns_per_step <= 0) continue;
    if (const Remedy* remedy = find_remedy(finding.remedy)) remedies.push_back(remedy);
  }
  return remedies;
}

// A finding that only says where time goes, while another says why.
struct Reason {
  std::string_view symptom, cause;
};
constexpr std::array kReasons{
    // Copies that are waited for, and what makes them slow. One of pageable memory cannot be overlapped.
    Reason{"pcie-bound-transfers", "slow-link"}, Reason{"pcie-bound-transfers", "pageable-copies"}, Reason{"pcie-bound-transfers", "tiny-copies"},
    Reason{"pcie-bound-transfers", "copies-not-overlapped"}, Reason{"pcie-bound-transfers", "gradients-reduced-on-host"},
    Reason{"copies-not-overlapped", "slow-link"}, Reason{"copies-not-overlapped", "pageable-copies"}, Reason{"copies-not-overlapped", "unified-memory-migrations"},
    // Over PCIe a GPU's copies to other GPUs take the same link.
    Reason{"peer-path", "slow-link"},
    // Few blocks are how a normalization shows that is written out in plain reductions.
    Reason{"small-grids", "unfused-normalization"},
    // Waiting for other GPUs, and what makes it long.
    Reason{"exposed-communication", "collectives-on-compute-stream"}, Reason{"exposed-communication", "straggler"}, Reason{"exposed-communication", "slow-clock"},
    Reason{"exposed-communication", "peer-path"}};

bool is_cause(const Finding& finding, std::string_view rule) {
  return finding.rule == rule && finding.verdict == Verdict::found && won_share(finding) >= thresholds::kWarningShare;
}

void put_under_reasons(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::found) continue;
    for (const Reason& reason : kReasons) {
      if (finding.rule != reason.symptom || !finding.explained_by.empty()) continue;
      const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& it) { return is_cause(it, reason.cause); });
      if (known) put_under(finding, std::string(reason.cause));
    }
  }
}

// Low utilization is the symptom of whatever comes first.
void put_utilization_under_first(std::vector<Finding>& findings) {
  const auto low = std::find_if(findings.begin(), findings.end(), [](const Finding& it) { return it.rule == "low-compute-utilization" && it.verdict == Verdict::found; });
  if (low == findings.end()) return;
  for (const Finding& finding : findings) {
    if (finding.verdict != Verdict::found || !finding.explained_by.empty() || finding.severity == Severity::info || &finding == &*low) continue;
    low->explained_by = finding.rule;
    low->why += " The first of its causes here is " + finding.rule + ".";
    return;
  }
}

}  // namespace

void find_root_causes(std::vector<Finding>& findings, const WhatIf& what_if) {
  put_under_reasons(findings);
  std::vector<Cause> causes;
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::found || finding.recoverable_ns_per_step <= 0 || !finding.explained_by.empty()) continue;
    const Remedy* remedy = find_remedy(finding.remedy);
    if (remedy == nullptr) continue;
    for (const Cause& cause : causes) {
      if (!explains(cause, finding, *remedy, what_if)) continue;
      put_under(finding, cause.finding->rule);
      break;
    }
    if (finding.explained_by.empty() && causes.size() < kMostCauses) causes.push_back({&finding, remedy});
  }
  put_utilization_under_first(findings);
  const auto is_root = [](const Finding& finding) { return finding.verdict == Verdict::found && finding.explained_by.empty(); };
  const auto last_found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) { return finding.verdict != Verdict::found; });
  std::stable_partition(findings.begin(), last_found, is_root);
}

double speedup_of_all_remedies(const std::vector<Finding>& findings, const WhatIf& what_if) {
  const std::vector<const Remedy*> remedies = remedies_of_causes(findings);
  if (remedies.size() < 2) return 1;
  const double share = what_if.try_together(remedies).share_after;
  return share > 0 ? 1 / share : 1;
}

}  // namespace gputrace::analyzer
