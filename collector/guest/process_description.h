// What a trace says of the process itself.
#pragma once

#include "collector/guest/lane.h"
#include "collector/guest/options.h"

namespace gputrace::guest {

// Executable, command line, host, rank variables and what was asked for, as settings of the lane. Reads files: for a thread of ours.
void describe_process(const Options& options, Lane& lane);

}  // namespace gputrace::guest
