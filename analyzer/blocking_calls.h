// Which API calls hold the host up until a GPU has done something.
#pragma once

#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

// By name: calls that synchronize, and copies that are not asynchronous. (An asynchronous copy of pageable memory to the host
// waits too, but frameworks follow it by a call that synchronizes.)
class BlockingCalls {
 public:
  explicit BlockingCalls(const trace::Trace& trace);

  // The call on the same thread before `call` that ended last within (after_ns, start of `call`], if it is a blocking one.
  bool held_up(std::uint32_t call, std::int64_t after_ns) const;
  bool is_blocking(std::uint32_t call) const { return is_blocking_name_[calls_.name[call].value]; }

 private:
  const trace::ApiCalls& calls_;
  std::vector<bool> is_blocking_name_;     // by StringId
  std::vector<std::uint32_t> before_;      // per call: the one before it on its thread; itself for the first
};

}  // namespace gputrace::analyzer
