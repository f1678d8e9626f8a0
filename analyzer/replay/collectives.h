// The parts of each collective (all-reduce and the like) on the GPUs that took part.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

struct Collective {
  std::int64_t meeting_ns = 0;         // when the last part began
  std::vector<std::uint32_t> kernels;  // rows of trace.kernels, in the order of start; at least two, on different GPUs
};

struct Collectives {
  std::vector<Collective> matched;  // by meeting_ns
  std::size_t unmatched = 0;        // kernels of collectives that no others were found for
};

// Kernels of NCCL and RCCL that start in the window, by name: those of one collective run at the same time on all GPUs that show the
// name, for no part ends before the last has begun, and end together, up to what the clocks of the processes are known to
// (Trace::clock_residual_ns). What does not fit is counted, not guessed. Not looked at: sends and receives, whose
// partners a name does not tell, and broadcasts, whose root may leave before others come.
Collectives find_collectives(const trace::Trace& trace, trace::Span window);

}  // namespace gputrace::analyzer
