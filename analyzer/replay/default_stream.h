// The legacy default stream: its work waits for all work that the context's blocking streams were asked for before, and theirs for its.
#pragma once

#include "analyzer/replay/recorded_waits.h"
#include "analyzer/replay/stream_index.h"
#include "analyzer/replay/task_table.h"

namespace gputrace::analyzer {

// A trace does not say which stream is the default one, nor which others were made non-blocking. The stream of the lowest id of a context
// is taken for the default one, for it is made first, and another for a blocking one only where the trace shows it: the two never run
// at the same time, and in at least kLeastHandovers cases work that had been asked for long before began just as the other's ended, with
// nothing else to explain it. Adds (activity, the other stream's last that was asked for before it) to `waits`.
inline constexpr std::size_t kLeastHandovers = 5;
void find_default_stream_waits(const TaskTable& tasks, const trace::Trace& trace, const StreamIndex& index, TaskPairs& waits);

}  // namespace gputrace::analyzer
