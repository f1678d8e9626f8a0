// Data that goes from a GPU to the host inside a step, is worked on there and comes back before the GPU goes on: an op that is left on
// the CPU, told by its copies alone.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/metrics.h"
#include "analyzer/replay/host_sequences.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct HostDetour {
  trace::DeviceId device{};
  trace::Span span;                  // from the start of the first copy to the end of the last one
  trace::Span host_work;             // from when the data had come to the call that sends it back
  std::vector<Task> down, up;        // the copies; not empty
  std::vector<Task> waits;           // calls after the first of `down` that held the host up until it had come
  std::int64_t bytes = 0;            // both ways
};

struct HostDetours {
  std::vector<HostDetour> list;      // by thread and time
  std::vector<bool> is_part;         // per row of Trace::copies
};

// Within a step (as ranges say it: the period of kernels alone does not tell where a step begins), on one host thread: copies of
// thresholds::kReadbackBytes and more to the host that it waits for, at least thresholds::kDetourHostNs of its own work, copies
// back to the same GPU, and work of the GPU after them. None where less than half of the window's steps have one, of gradients and
// weights that a data-parallel run reduces on the host (host_reduction.h), or where most of the time passes in waiting for input.
// Linear in calls, O(n log n) in copies.
HostDetours find_host_detours(const trace::Trace& trace, const Metrics& metrics, const DependencyGraph& graph, const std::vector<HostSequence>& sequences);

}  // namespace gputrace::analyzer
