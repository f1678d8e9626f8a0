// The whole analysis: a pure function of a trace.
#pragma once

#include "analyzer/diagnosis.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Never fails: what cannot be looked at is said in the diagnosis (could_not_look, not_captured).
Diagnosis analyze(const trace::Trace& trace);

}  // namespace gputrace::analyzer
