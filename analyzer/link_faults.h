// Which GPUs have a slower link to the host than the others, and whether it is the link's width or the way to the memory.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/interconnect.h"

namespace gputrace::analyzer {

struct RateToCompare {  // of one GPU: copies of one direction, memory and class of size, from thresholds::kLinkBoundBytes on
  trace::DeviceId device{};
  bool to_device = true;
  int like = 0;              // rows of one number compare: same direction, memory and size
  std::int64_t bytes = 0, count = 0;
  double bytes_per_s = 0;    // while no other GPU copied over the same uplink where there were enough such copies
  int shared_by = 1;         // else: GPUs that may have taken part of the rate
};

// The rate against the median of the others' like rates, by row; nullopt where no other GPU has one.
std::vector<std::optional<double>> of_others(const std::vector<RateToCompare>& rates);

// GPUs whose like copies run slower than the others' median by thresholds::kSlowLinkFactor or more, beyond what a shared uplink
// explains. Both directions slower by the same factor: a narrow link, or the far socket where several GPUs are slower by the same
// factor; by different factors: the far socket (reads and writes of remote memory cost differently); one direction known: a slow link.
std::vector<LinkFault> link_faults(const Interconnect& interconnect, const std::vector<RateToCompare>& rates);

}  // namespace gputrace::analyzer
