// Runs one rule on a trace built in a test.
#pragma once

#include <catch2/catch.hpp>
#include <string_view>

#include "analyzer/metrics.h"
#include "analyzer/rule.h"
#include "analyzer/what_if.h"

namespace gputrace::tests {

inline analyzer::Finding run_rule(std::string_view name, const trace::Trace& trace) {
  const analyzer::Metrics metrics = analyzer::measure(trace);
  const analyzer::WhatIf what_if(trace, metrics);
  for (const analyzer::Rule* rule : analyzer::all_rules()) {
    if (rule->name == name) return rule->look({trace, metrics, what_if});
  }
  FAIL("no rule is called " << name);
  return {};
}

}  // namespace gputrace::tests
