// In which API call the driver, or the recorder, took time that it recorded itself: loading, compiling, a full command buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::analyzer {

struct OverheadCall {
  std::uint32_t overhead = 0, call = 0;  // rows of Trace::overheads and Trace::api_calls
};

// Of the overheads that `is_asked` names: the last call of their thread that began before them, where it had not ended then, and which
// lies in no other call. In the order of overheads; linear in calls where there is any, O(log n) an overhead.
std::vector<OverheadCall> calls_of_overheads(const trace::Trace& trace, bool (*is_asked)(trace::OverheadKind));

}  // namespace gputrace::analyzer
