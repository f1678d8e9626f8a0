// What the links between the GPUs of a trace and their host can do: one inference, for rules, remedies, tables and the viewer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "trace/trace.h"

namespace gputrace::analyzer {

class Interconnect;

struct LinkLimit {
  enum class Kind : std::uint8_t {
    recorded,      // the raw rate of a link that the trace names
    inferred,      // the raw rate of a common link
    seen,          // of the fastest copy
    seen_pageable  // the same, of a copy from or to pageable memory: the rate of the driver's staging, which says nothing of the link
  };
  double bytes_per_s = 0;  // one direction
  std::string source;      // "recorded: PCIe 3.0 x8", "the rate of a PCIe 4.0 x16 link", "best seen", "best seen, of pageable memory"
  Kind kind = Kind::seen;

  bool tells_of_link() const { return kind != Kind::seen_pageable; }
  // What large copies from pinned memory get of it: thresholds::kAssumedPcieEfficiency of a raw rate; what a copy had, another gets too.
  double pinned_bytes_per_s() const;
};

// A copy from this size on shows what a link can do: its start takes a hundredth of its time or less.
inline constexpr std::int64_t kLargeCopyBytes = 1 << 20;

enum class LinkWay : std::uint8_t { to_device, from_device };
std::optional<LinkWay> link_way(trace::CopyKind kind);  // migrations and arrays too; nullopt: no copy between host and device

// One direction of a GPU's link to the host: the narrowest recorded edge from the GPU to the root; without any, the smallest common
// PCIe link whose raw rate the GPU's fastest copy from or to pinned memory stays under, if it reaches thresholds::kAtLinkRate of it
// (either way: PCIe is as fast one way as the other); else the fastest copy that way. Of the whole trace: a link is the same in every step.
class HostLinks {
 public:
  explicit HostLinks(const trace::Trace& trace);
  HostLinks(const trace::Trace& trace, const Interconnect& interconnect);

  // nullopt where the trace has no large copy over that link, and `direction` is none between host and device.
  std::optional<LinkLimit> limit(trace::DeviceId device, trace::CopyKind direction) const;

 private:
  struct Fastest {
    double bytes_per_s = 0;
    bool is_pageable = false;
  };
  std::map<trace::DeviceId, LinkLimit> recorded_;
  std::map<trace::DeviceId, double> pinned_bytes_per_s_;
  std::map<std::pair<trace::DeviceId, LinkWay>, Fastest> fastest_;
};

// Of one GPU, where no more are asked about: reads all copies each time.
std::optional<LinkLimit> host_link_limit(const trace::Trace& trace, trace::DeviceId device, trace::CopyKind direction);

}  // namespace gputrace::analyzer
