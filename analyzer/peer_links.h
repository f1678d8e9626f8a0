// Copies between GPUs, and what kind of link they run over.
#pragma once

#include <vector>

#include "analyzer/diagnosis.h"
#include "analyzer/interconnect.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// One per pair of GPUs and direction, by total time, of the copies in the window; the kind of link is not looked at yet.
std::vector<PeerLink> peer_traffic(const trace::Trace& trace, trace::Span window);

// The kind of link is recorded; else inferred where the fastest copy fits one kind only: faster than any PCIe slot of that generation
// of GPUs is NVLink, slower is PCIe; else "unknown". The number of NVLinks is told where only one number fits.
void find_link_kinds(const trace::Trace& trace, const Interconnect& interconnect, std::vector<PeerLink>& peers);

}  // namespace gputrace::analyzer
