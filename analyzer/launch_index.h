// Finds the API call that asked for an activity on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

// By process and correlation id. Where a runtime and a driver call share an id, the one that began first (the outer) is kept.
// O(n log n) to build, O(log n) to ask, 16 bytes per call.
class LaunchIndex {
 public:
  explicit LaunchIndex(const trace::Trace& trace);
  std::optional<std::uint32_t> call(trace::ProcessIndex process, trace::CorrelationId correlation) const;

 private:
  struct Entry {
    std::int64_t correlation;
    std::int32_t process;
    std::uint32_t row;  // of Trace::api_calls
  };
  std::vector<Entry> entries_;
};

}  // namespace gputrace::analyzer
