// Why each GPU was idle, in detail: by what decided when its next work began.
#pragma once

#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/metrics.h"
#include "analyzer/what_if.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

enum class IdleReason : std::uint8_t {
  host,             // the host's own work between two calls
  input,            // ... in a range that waits for the next batch (input_waits.h)
  pause,            // ... of at least thresholds::kPauseNs in no range at all
  launch_call,      // in the call that launches
  copy_call,        // in a call that copies or fills
  allocation,       // in a call that allocates or frees
  module_load,      // in a call that loads a module or a function
  synchronization,  // in a call that waits, after what it waited for was done, or itself
  other_call,
  launch_latency,   // from the call to the start on the GPU
  stream,           // between two activities of the stream
  other_stream,     // between an activity that an event stood for and the start, or for room that another kernel made
  copy,             // for a copy on another GPU
  collective,       // for the other parts of a collective
  peer,             // for other work of another GPU
  no_more_work,     // nothing follows in the window
  unknown,          // the call that asked for the next work was not captured
  count
};
const char* name(IdleReason reason);  // for people: "host between calls"

// Per device of the metrics, in their order: the idle time by reason and place, the longest first; sums to the device's idle time
// exactly. At most 32 entries, and at most three kernels that another GPU or a collective was waited for in; what is smaller is summed by reason. Empty where the trace cannot be replayed.
std::vector<std::vector<IdlePart>> idle_reasons(const trace::Trace& trace, const Metrics& metrics, const WhatIf& what_if);

}  // namespace gputrace::analyzer
