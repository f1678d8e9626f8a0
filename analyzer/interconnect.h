// The links that a trace recorded between its GPUs and the host: who shares an uplink, what joins two GPUs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

struct RecordedLink {
  std::string kind;         // "PCIe 3.0 x16", "NVLink 2.0 x2"
  double bytes_per_s = 0;   // one direction, raw; 0: not captured
  trace::LinkKind link = trace::LinkKind::pcie;
  std::string meets_at{};   // of PCIe, where the ways of both come together: "switch:0000:10", "root:0000:00"; "": nowhere that is recorded
};

struct Uplink {
  std::string name;        // "switch:0000:10": what the GPUs hang on
  int gpus = 1;            // of those asked about, behind it
  double bytes_per_s = 0;  // one direction, raw, of the whole uplink
};

class Interconnect {
 public:
  explicit Interconnect(const trace::Trace& trace);

  bool is_recorded(trace::DeviceId device) const { return paths_.contains(device); }

  // The narrowest edge from the GPU to the root; nullptr: not recorded, or without rates.
  const trace::Link* narrowest(trace::DeviceId device) const;

  // Of the edges from a GPU to the root that others of `copying` use too, the one that leaves each the least; GPUs without one are
  // left out.
  std::map<trace::DeviceId, Uplink> shared_uplinks(const std::set<trace::DeviceId>& copying) const;

  // NVLink where the two are joined by it; else the narrowest PCIe edge between them, through their common switch or the root.
  // nullopt: not recorded.
  std::optional<RecordedLink> between(trace::DeviceId a, trace::DeviceId b) const;

 private:
  using Path = std::vector<const trace::Link*>;  // of trace.links, from the GPU to the root
  std::map<trace::DeviceId, Path> paths_;
  std::map<std::pair<trace::DeviceId, trace::DeviceId>, const trace::Link*> nvlinks_;  // the lower id first
};

std::string link_kind(const trace::Link& link);

}  // namespace gputrace::analyzer
