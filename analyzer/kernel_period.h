// The repeating unit of a GPU's kernel sequence: what to take for a step where no range says what one is.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

struct KernelPeriod {
  std::size_t kernels = 0;            // in one unit; 0 where nothing repeats
  double share = 0;                   // of the GPU's kernels that lie in whole units
  std::vector<trace::Span> units;     // from the first kernel of a unit to the first of the next; the last to its last kernel's end
};

// Looks at the GPU that ran most kernels. A kernel (name and grid) that comes back after the same number of others each time, at least
// three times, marks the beginning of units; of several the one with the longest unit counts. Units that differ by more than a
// tenth in their number of kernels (evaluation, an odd step) end a run of steps; the longest run is taken.
// A unit that kernels of other names surround is a layer inside a step, not a step: then nothing is found. Other kernels only before the
// units are start-up, and in one stretch between them an evaluation; then there must be at least five units of
// 16 kernels, with half of all. A trace that shows nothing but
// layers cannot be told from one of steps, so whoever shows units must say what they are: the repeating unit of the kernel sequence.
// Linear in the number of kernels.
KernelPeriod find_kernel_period(const trace::Trace& trace);

}  // namespace gputrace::analyzer
