// Gradients that go to the host in each step, and weights that come back: by the sizes of the copies.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct HostReduction {
  std::vector<bool> is_part;              // per row of Trace::copies
  std::map<trace::DeviceId, double> bytes;  // one direction, in the window
  double copies = 0, ns = 0;              // of both directions and all GPUs, in the window
  double bytes_per_gpu() const;           // the most
};

// nullopt where fewer than two GPUs compute, where they exchange data among themselves, or where on one of them less than
// thresholds::kSameSizesShare of the bytes that come to the host go back in copies of the same sizes.
std::optional<HostReduction> find_host_reduction(const trace::Trace& trace, const Metrics& metrics);

// One direction of what joins two GPUs, for a ring over all: NVLink where the trace names one, else half of the host's link, which both
// directions of an exchange share. Bytes per second; 0 where nothing is known.
double exchange_rate(const trace::Trace& trace, trace::DeviceId device);

}  // namespace gputrace::analyzer
