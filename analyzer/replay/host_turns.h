// Whether the host threads of a process take turns (a lock of the framework or the driver, Python's), and what of their work is
// each one's own. Where they do, no change lets them work faster than one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/changed_graph.h"
#include "analyzer/replay/host_sequences.h"

namespace gputrace::analyzer {

struct HostTurns {
  enum class Taken : std::uint8_t {
    no,           // or there is only one thread per process
    yes,
    cannot_tell,  // always as many threads are at work: a prediction takes them to take turns
  };
  Taken taken = Taken::no;
  // By how many of its own times a call's work grows for each other thread of its process at work: 1 where they take turns, 0
  // where they do not. By least squares over the calls of all steps, each against those in its place in other steps and threads.
  double growth_by_other = 0;
  std::vector<float> others_at_work;  // per task; of calls, on average while the thread works for it
};

HostTurns find_host_turns(const trace::Trace& trace, const DependencyGraph& graph, const std::vector<HostSequence>& sequences);

// After a change: the host work of all threads of a process, one after the other; of the process that has most. The least that
// the window can take. 0 where threads do not take turns.
std::int64_t one_after_the_other_ns(const trace::Trace& trace, const HostTurns& turns, const ChangedGraph& graph,
                                    const std::vector<HostSequence>& sequences);

}  // namespace gputrace::analyzer
