// How NVTX ranges lie in one another: push/pop ranges of one thread and domain form a stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace gputrace::reports {

struct Nested {
  std::int64_t parent = -1;    // row of Trace::nvtx; -1: outermost
  std::int32_t level = 0;      // 0: outermost
  std::int64_t children = 0;   // directly below
  std::int64_t children_ns = 0;
};

// By row of Trace::nvtx. Ranges without an end, marks and start/end ranges are outermost, and no parents: only push/pop
// ranges are sure to nest. O(n log n).
std::vector<Nested> nvtx_nesting(const trace::Trace& trace);

// ":3:17:18", the rows' ids (row + 1) from the outermost to the range itself.
std::string range_stack(const std::vector<Nested>& nesting, std::size_t range);

bool is_ended_range(const trace::NvtxRanges& ranges, std::size_t i);  // push/pop or start/end, and it ended
const char* range_style(trace::NvtxKind kind);                        // "PushPop", "StartEnd"
std::string range_name(const trace::Trace& trace, std::size_t range);  // "domain:text"

}  // namespace gputrace::reports
