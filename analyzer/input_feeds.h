// Copies that feed a step: to a GPU, before its first kernel of the step, and not of weights that come back from the host.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct InputFeed {  // of one step and GPU
  trace::DeviceId device{};
  std::vector<std::uint32_t> copies;  // rows of Trace::copies
  std::int64_t kernels_ns = 0;        // that the GPU computes in the step: what the next feed could hide behind
};

// In steps of the window; empty without steps. Copies from thresholds::kLinkBoundBytes on. One whose size also comes from that GPU to the
// host is taken for weights: they change in each step and cannot be sent ahead.
std::vector<InputFeed> input_feeds(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
