// Finds the API call that asked for an activity on a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

// By process and correlation id. Where a runtime and a driver call share an id, the one that began first (the outer) is kept.
// At most 16 bytes per call. A process's ids lie close together where a tool counts them up: then O(1) to ask and O(n) to build, else
// O(log n) and O(n log n).
class LaunchIndex {
 public:
  LaunchIndex() = default;  // of no call
  explicit LaunchIndex(const trace::Trace& trace);
  std::optional<std::uint32_t> call(trace::ProcessIndex process, trace::CorrelationId correlation) const;

 private:
  struct Entry {
    std::int64_t correlation;
    std::uint32_t row;  // of Trace::api_calls
  };
  struct Calls {  // of one process, in one of two ways
    std::int64_t first_id = 0, last_id = 0;
    std::size_t count = 0;
    std::vector<std::uint32_t> row_of_id;  // from first_id on
    std::vector<Entry> by_id;              // where ids lie too far apart for that
  };
  template <class Visit>
  void for_each_call(const trace::Trace& trace, Visit visit);

  std::map<trace::ProcessIndex, Calls> processes_;
};

}  // namespace gputrace::analyzer
