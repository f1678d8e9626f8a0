// The curves of a GPU: utilization, kernels at once, throughput of its link to the host. Means over columns of the
// picture, exact at every zoom, from the rows that the timeline holds anyway.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/timeline.h"

namespace gputrace::gui {

struct GraphColumns {
  std::int64_t first_ns = 0;   // where the first column begins
  std::uint64_t column_ns = 1;
  // Utilization: share of the column (0 to 1) in which a kernel ran. Concurrency: kernels at once, on average.
  // Link: bytes per second to the device, and in `second` from it.
  std::vector<float> values, second;
  float most = 0;  // of both
};

// Of a lane of kind graph. Columns are 2^column_shift ns wide and lie on multiples of that.
GraphColumns graph_columns(const Timeline& timeline, std::size_t lane, trace::Span window, int column_shift);
// The end of the axis for a curve that reaches `most`: 1, 2, 5, 10, 20 ... times a power of ten.
float axis_end(float most);

}  // namespace gputrace::gui
