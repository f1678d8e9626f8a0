// The trace as a replay says it would have been after a change: to look at in the viewer beside the recorded one.
#pragma once

#include <string>

#include "analyzer/replay/changed_graph.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Of `trace`, from which the graph was made, the part that was replayed. Calls and activities are at their replayed times; what takes
// no time any more is left out; ranges, waits and events of a thread move with its calls. Marked as simulated, its machine being
// `what` ("predicted: merge-copies"), after the modelled machine's name where the trace was modelled itself. Times of the recorder itself
// (overheads) are no part of it.
trace::Trace predicted_trace(trace::Trace trace, const ChangedGraph& changed, const std::string& what);

}  // namespace gputrace::analyzer
