// Launches that the host had to wait with, because as many were under way as the driver takes.
#pragma once

#include "analyzer/replay/recorded_waits.h"
#include "analyzer/replay/stream_index.h"
#include "analyzer/replay/task_table.h"

namespace gputrace::analyzer {

// A launch that took long although its GPU had work, while about 1024 activities of its context were under way, waited until one of them
// was done: adds (the call, that activity) to `blocking`. The limit is the driver's: 1022 were under way at each such call of a recorded
// training of a language model on an A100. What a stream runs before the first that was asked for within the recording was under way
// when it began. Besides, launches in which the driver recorded that its command buffer was full.
void find_full_launch_queues(const TaskTable& tasks, const trace::Trace& trace, const StreamIndex& index, TaskPairs& blocking);

}  // namespace gputrace::analyzer
