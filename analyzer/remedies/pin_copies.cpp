// Copies from and to pageable memory: from pinned memory they run at the link's rate, and the host does not wait for them.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/gpu_limits.h"
#include "analyzer/pageable_copies.h"
#include "analyzer/remedy.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

// Half of the calls that ask for a kernel are done in this time: what a call costs that waits for nothing.
std::int64_t usual_call_ns(const RemedyInput& input, const ChangedGraph& graph) {
  std::vector<std::int64_t> durations;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::kernel) continue;
    if (const auto call = input.graph.asked_by(task)) durations.push_back(graph.duration_ns(*call));
  }
  if (durations.empty()) return 0;
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  Applied applied;
  const trace::Copies& copies = input.trace.copies;
  const std::int64_t call_ns = usual_call_ns(input, graph);
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    const std::uint32_t row = input.graph.row[task];
    if (input.graph.kind[task] != TaskKind::copy || !is_pageable_copy(copies, row)) continue;
    ++applied.count;
    const auto limit = host_link_limit(input.trace, copies.device[row], copies.kind[row]);
    if (limit) {
      const double rate = limit->bytes_per_s * thresholds::kAssumedPcieEfficiency;
      const auto pinned_ns = static_cast<std::int64_t>(static_cast<double>(copies.bytes[row]) * 1e9 / rate);
      graph.set_duration(task, std::min(pinned_ns, graph.duration_ns(task)));
    }
    const auto call = input.graph.asked_by(task);
    if (!call) continue;
    graph.return_at_once(*call);
    graph.set_duration(*call, std::min(graph.duration_ns(*call), call_ns));
  }
  applied.what = fmt::format("{} copies from or to pageable memory become copies of pinned memory", applied.count);
  return applied;
}

}  // namespace

extern const Remedy pin_copies;
constinit const Remedy pin_copies{"pin-copies", "copies from and to pageable memory use pinned memory", apply};

}  // namespace gputrace::analyzer
