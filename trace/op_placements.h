// Where ops of a framework ran, once each: whatever the source, in Trace::op_placements.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "trace/trace.h"

namespace gputrace::trace {

class OpPlacements {
 public:
  explicit OpPlacements(Trace& trace) : trace_(trace) {}

  // An op of the same name and devices that is known already is not added again.
  void add(OpPlacement placement) {
    std::string key = placement.op_name + '\0' + placement.requested_device + '\0' + placement.device;
    if (placement.op_name.empty() || !known_.insert(std::move(key)).second) return;
    trace_.op_placements.push_back(std::move(placement));
  }

 private:
  Trace& trace_;
  std::unordered_set<std::string> known_;
};

}  // namespace gputrace::trace
