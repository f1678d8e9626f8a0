// How far the clocks of two processes of one job are apart, from what they do together: a collective ends on all ranks at nearly
// the same time, since each waits for the last.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace gputrace::trace {

struct ClockFit {
  std::int64_t first_ns = 0;  // of the other clock: where the offset holds exactly
  std::int64_t offset_ns = 0, drift_ppb = 0;
  std::int64_t residual_ns = 0;
  std::int64_t matched = 0;

  // A time of the other clock on the reference's.
  std::int64_t to_reference(std::int64_t time_ns) const;
};

// Matches the n-th all-reduce (all-gather, ...) of both traces, for kinds that both have equally many of. The offset is a median,
// the drift the slope between the medians of both halves; drift is left out where it explains nothing (it does not lower the
// typical deviation) or is beyond what quartz does (200 ppm). The residual is the 95th percentile of what remains. Send/receive
// kernels are no evidence: a pair of ranks ends them, not all. nullopt: nothing matches.
std::optional<ClockFit> fit_clock(const Trace& reference, const Trace& other);

}  // namespace gputrace::trace
