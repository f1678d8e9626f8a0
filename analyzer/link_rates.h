// How fast each GPU's copies to and from the host are, apart from how fast the links are that it shares with others.
#pragma once

#include <map>
#include <tuple>

#include "analyzer/metrics.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct LinkRate {
  double bytes_per_s = 0;
  int shared_by = 1;  // GPUs whose copies may have run at the same time over the same uplink; 1 where it was measured alone
};

// Copies that compare: one direction, one kind of memory on each side.
using CopyPath = std::tuple<trace::CopyKind, trace::MemoryKind, trace::MemoryKind>;
CopyPath path_of(const trace::Copies& copies, std::size_t copy);

// Of copies from thresholds::kLinkBoundBytes on between host and GPU, in the window. Measured over those during which no other
// GPU of the same switch copied in that direction, where there are three; else over all. GPUs are taken to share an uplink where
// the trace says nothing of the links.
std::map<CopyPath, std::map<trace::DeviceId, LinkRate>> link_rates(const trace::Trace& trace, const Metrics& metrics);

// Whether `own` is slower than `best` by more than sharing the uplink explains: thresholds::kSlowLinkFactor.
bool is_slow(const LinkRate& own, const LinkRate& best);
const LinkRate& fastest(const std::map<trace::DeviceId, LinkRate>& devices);  // of at least one

}  // namespace gputrace::analyzer
