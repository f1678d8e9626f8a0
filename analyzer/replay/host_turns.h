// Whether the host threads of a process take turns (a lock of the framework or the driver, Python's), and what of their work is
// each one's own. Then no change lets them work faster than one after the other.
#pragma once

#include <cstdint>

#include "analyzer/replay/changed_graph.h"
#include "analyzer/replay/host_sequences.h"

namespace gputrace::analyzer {

struct HostTurns {
  bool taken = false;
  // By how many of its own times a call's work grows for each other thread at work: 1 where they take turns, 0 where they do
  // not. By least squares over the calls of all steps, each against the average of its place over steps and threads.
  double growth_by_other = 0;
  std::vector<float> others_at_work;  // per task; of calls, on average while the thread works for it
};

// Not taken where it cannot be told: fewer than two threads, or the number at work hardly varies.
HostTurns find_host_turns(const DependencyGraph& graph, const std::vector<HostSequence>& sequences);

// The host work of all threads after a change, one after the other: the least that their steps can take. 0 where they do not
// take turns.
std::int64_t one_after_the_other_ns(const HostTurns& turns, const ChangedGraph& graph, const std::vector<HostSequence>& sequences);

}  // namespace gputrace::analyzer
