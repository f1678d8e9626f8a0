// Host work that one thread has before a call and the threads beside it, which make the same calls, do not.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/changed_graph.h"
#include "analyzer/replay/host_sequences.h"

namespace gputrace::analyzer {

struct LateWork {
  trace::ThreadIndex thread{};
  Task call = 0;
  std::int64_t ns = 0, others_ns = 0;  // before the call: its own, and the least of those beside it
  std::int64_t more_ns() const { return ns - others_ns; }
};

// Of threads that make as many calls in the same step and launch at the same places, call by call; of those that only launch as often (an allocation, say, may come
// in another place), from launch to launch, where it is told of the call with the most work before it. From thresholds::kPauseNs on. A
// step's first call waits for the thread's own start, so it does not count, nor does what comes before the first launch of the latter.
std::vector<LateWork> late_work(const trace::Trace& trace, const std::vector<HostSequence>& sequences, const ChangedGraph& graph);

}  // namespace gputrace::analyzer
