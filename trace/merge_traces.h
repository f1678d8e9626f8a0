// Several files of one job as one trace: a process per rank, GPUs told apart, clocks aligned.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace gputrace::trace {

// The rank in a file's name ("rank3.json", "worker-03_step.pt.trace.json.gz", "trace_r7.nsys.sqlite"), -1 where there is none.
std::int32_t rank_in_name(std::string_view file_name);

// The traces in the order of their ranks (metadata, else the file's name, else the order given), of which the first sets the
// clock. Times of the others are shifted by the wall clock, where both files tell it, and then by matched ends of collectives
// (clock_alignment.h); Trace::clocks says what was done, and what remains. GPUs of different files are different ones, unless
// their UUIDs say otherwise: where two files use one number, all GPUs are numbered anew in the order of ranks. A table counts as
// captured where each file that has GPU work has it. What cannot be said of the whole is in `diagnostics`.
Trace merge_traces(std::vector<Trace> traces);

}  // namespace gputrace::trace
