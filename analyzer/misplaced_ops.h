// Ops that were asked for a GPU and ran on the CPU, by op ranges that say both devices; and what they would take where they belong.
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

bool names_devices(const OpText& op);
bool is_misplaced(const OpText& op);

struct MisplacedOps {
  std::vector<std::size_t> ops;  // of Metrics::ops
  // Per entry of `ops`: on the GPU asked for, with what would then cross to and from the host. From the ops' sizes, the GPU's
  // published peaks and what programs reach of them (thresholds::kAssumed...). Empty where the trace lacks the sizes of all of
  // them, or the GPU's figures.
  std::vector<double> gpu_ns;
};

MisplacedOps find_misplaced_ops(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
