// Runs one rule on a trace built in a test.
#pragma once

#include <catch2/catch.hpp>
#include <string_view>

#include "analyzer/metrics.h"
#include "analyzer/rule.h"
#include "analyzer/what_if.h"

namespace gputrace::tests {

// What a person needs of any finding; of one that could not look, the reason.
inline void check_is_whole(const analyzer::Finding& finding) {
  using analyzer::Verdict;
  if (finding.verdict == Verdict::could_not_look) CHECK_FALSE(finding.why.empty());
  if (finding.verdict != Verdict::found) return;
  CHECK_FALSE(finding.title.empty());
  CHECK(finding.why.substr(0, finding.why.find_last_not_of(' ') + 1).ends_with('.'));
  CHECK_FALSE(finding.evidence.empty());
  CHECK(finding.evidence.size() <= analyzer::kMaxEvidence);
  for (const analyzer::Evidence& evidence : finding.evidence) {
    CHECK_FALSE(evidence.text.empty());
    CHECK(evidence.span.end_ns >= evidence.span.start_ns);
  }
  CHECK(finding.recoverable_ns_per_step >= 0);
  CHECK(finding.predicted_speedup >= 1);
}

inline analyzer::Finding run_rule(std::string_view name, const trace::Trace& trace) {
  const analyzer::Metrics metrics = analyzer::measure(trace);
  const analyzer::WhatIf what_if(trace, metrics);
  for (const analyzer::Rule* rule : analyzer::all_rules()) {
    if (rule->name != name) continue;
    analyzer::Finding finding = rule->look({trace, metrics, what_if});
    check_is_whole(finding);
    return finding;
  }
  FAIL("no rule is called " << name);
  return {};
}

}  // namespace gputrace::tests
