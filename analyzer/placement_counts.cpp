#include "analyzer/placement_counts.h"

#include <fmt/format.h>

#include "analyzer/op_ranges.h"

namespace gputrace::analyzer {

PlacementCounts count_placements(const trace::Trace& trace) {
  PlacementCounts counts;
  for (const trace::OpPlacement& op : trace.op_placements) {
    if (op.device.empty()) continue;
    ++counts.placed;
    counts.on_cpu += is_cpu(op.device);
    counts.with_request += !op.requested_device.empty();
    if (gpu_of(op.requested_device) < 0 || !is_cpu(op.device)) continue;
    ++counts.misplaced;
    ++counts.misplaced_by_type[op.op_type.empty() ? "of unknown type" : op.op_type];
    if (counts.requested.empty()) counts.requested = op.requested_device, counts.device = op.device;
    if (counts.example.empty()) counts.example = fmt::format("{} ({}) asked for {}, ran on {}", op.op_name, op.op_type, op.requested_device, op.device);
  }
  return counts;
}

}  // namespace gputrace::analyzer
