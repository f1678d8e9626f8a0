// Whether recording has coloured what it recorded.
#pragma once

#include <optional>

#include "trace/trace.h"

namespace gputrace::analyzer {

// A remark for the report where the recorder's and the profiling library's own work took at least thresholds::kRecorderShare of
// the window on a thread that calls CUDA: in whole percent. Work on their own threads holds nobody up. None where the trace has
// no such rows, or no calls.
std::optional<trace::Diagnostic> recorder_overhead(const trace::Trace& trace, trace::Span window);

}  // namespace gputrace::analyzer
