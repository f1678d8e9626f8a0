// Finds the training steps of a trace.
#pragma once

#include "analyzer/diagnosis.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Steps from NVTX ranges: the ranges of one name (digits apart) on one thread that lie one after the other, at least two,
// and are called step, iteration or the like, or are in a domain called so. Without such ranges, from the period of the kernel
// sequence (kernel_period.h). Source `none` where there is neither.
Steps find_steps(const trace::Trace& trace);

// What the figures are of: the steps after warm-up; without steps, from the first work of a GPU on (the uploads before it are
// start-up: a kernel, or a copy that is none to the device) to the last event on a GPU; without kernels, the whole trace.
trace::Span analysis_window(const trace::Trace& trace, const Steps& steps);

// From the first start to the last end of anything on a GPU; {0, 0} where nothing ran on one.
trace::Span gpu_span(const trace::Trace& trace);

}  // namespace gputrace::analyzer
