// The same collective on several GPUs: who came last, and how long the others waited for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct Arrivals {  // at one collective
  std::vector<std::uint32_t> kernels;  // rows of Trace::kernels, one per GPU, by start
  std::int64_t last_ns = 0;            // when the last GPU's kernel began: nothing is exchanged before
  std::int64_t late_ns = 0;            // by how much it came after the one before it: what it alone costs
  std::int64_t waited_ns = 0;          // by the others for it, the mean of them
  std::uint32_t last() const { return kernels.back(); }
};

// In the window, of kernels of class communication. Kernels of one name on different GPUs belong together where all run at some instant:
// a collective cannot end anywhere before it has begun everywhere. Other than for the replay (replay/collectives.h), which must know all its
// parts, some are enough here. Groups of one are left out, as their peers are not in the trace, and two GPUs that send and receive: the
// one may have to wait for what the other computes first, as in a pipeline.
// O(n log n).
std::vector<Arrivals> find_arrivals(const trace::Trace& trace, const Metrics& metrics);

struct LateGpu {
  trace::DeviceId device{};
  std::size_t last_to = 0, of = 0;     // collectives
  std::int64_t late_ns = 0, waited_ns = 0;
  double computing_before = 0;         // share of the time between its collective before and the late one in which it ran kernels
  std::vector<std::uint32_t> kernels;  // the late ones
};
// Those that came last to a collective, the one for which others waited longest first. Where all came within `agree_ns`, the most that the
// clocks may be off by, nobody is.
std::vector<LateGpu> late_gpus(const trace::Trace& trace, const std::vector<Arrivals>& collectives, std::int64_t agree_ns);

}  // namespace gputrace::analyzer
