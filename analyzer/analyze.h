// The whole analysis: a pure function of a trace.
#pragma once

#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/name_rules.h"
#include "analyzer/threshold_settings.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Never fails: what cannot be looked at is said in the diagnosis (could_not_look, not_captured).
// name_rules: the user's own names and classes for kernels; they go before what gputrace knows. settings: other limits.
// scope: the window that all figures are of.
Diagnosis analyze(const trace::Trace& trace, const std::vector<NameRule>& name_rules = {}, const ThresholdSettings& settings = {},
                  Scope scope = Scope::loop);

}  // namespace gputrace::analyzer
