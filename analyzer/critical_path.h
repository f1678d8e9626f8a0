// The chain of work that decides how long the steps take, and how near others are to deciding it.
#pragma once

#include <optional>

#include "analyzer/diagnosis.h"
#include "analyzer/metrics.h"
#include "analyzer/what_if.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// nullopt where the trace cannot be replayed (WhatIf::possible).
std::optional<CriticalPath> find_critical_path(const trace::Trace& trace, const Metrics& metrics, const WhatIf& what_if);

}  // namespace gputrace::analyzer
