// Pairs of GPUs that exchange data more slowly than what joins them explains.
#pragma once

#include <map>
#include <string>

#include "analyzer/peer_rates.h"

namespace gputrace::analyzer {

struct PeerFault {
  double own_bytes_per_s = 0, usual_bytes_per_s = 0;  // medians of long copies; usual: of the fastest pair that is joined alike, or what the link gives
  std::string kind;           // "NVLink 2.0 x2"
  bool is_around_link = false;  // even the fastest copy is slower than the NVLink that joins the two: it went another way, as through the host
};

// Only of pairs whose link the trace names: pairs that are joined by another kind of link, or that meet further up the PCIe tree, are
// slower by the machine's construction. A pair is slower than its like where its median and its fastest copy both are, by
// thresholds::kSlowLinkFactor; it went around its NVLink where its fastest copy stays below what the link gives by as much. A GPU
// whose copies to and from the host are slow too has a slow link of its own (link_rates.h), and its pairs over PCIe are left out.
// Of copies in the window that are long enough for the link to set their time.
std::map<GpuPair, PeerFault> peer_faults(const trace::Trace& trace, const Metrics& metrics);

}  // namespace gputrace::analyzer
