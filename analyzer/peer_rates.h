// How fast copies between each two GPUs are.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

using GpuPair = std::pair<trace::DeviceId, trace::DeviceId>;  // from, to

struct PeerRate {
  double bytes_per_s = 0;  // the median of the copies
  double bytes = 0, ns = 0;
  std::size_t copies = 0;
};

// In the window, of copies from thresholds::kLinkBoundBytes on.
std::map<GpuPair, PeerRate> peer_rates(const trace::Trace& trace, const Metrics& metrics);

GpuPair pair_of(const trace::Copies& copies, std::size_t copy);

// What a rate looks like: "4 NVLinks", "PCIe"; by the trace's own links where it names them.
std::string path_in_words(const trace::Trace& trace, const GpuPair& pair, double bytes_per_s);

}  // namespace gputrace::analyzer
