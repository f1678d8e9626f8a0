// The host calls of each thread in each step, in order: what can be compared with the same call of another step or thread.
#pragma once

#include <vector>

#include "analyzer/replay/dependency_graph.h"

namespace gputrace::analyzer {

struct HostSequence {
  trace::ThreadIndex thread{};
  std::size_t step = 0;  // of steps.spans; a call belongs to the step that it begins in
  std::vector<Task> calls;
};

// Only calls that begin within a step. Without steps: one sequence per thread, all in "step" 0.
std::vector<HostSequence> host_sequences(const trace::Trace& trace, const DependencyGraph& graph, const Steps& steps);

}  // namespace gputrace::analyzer
