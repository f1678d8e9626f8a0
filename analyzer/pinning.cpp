#include "analyzer/pinning.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/pageable_copies.h"

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

const char* which(std::optional<LinkWay> only) {
  if (!only) return "from or to";
  return *only == LinkWay::to_device ? "from" : "to";
}

}  // namespace

Applied pin_pageable_copies(const RemedyInput& input, ChangedGraph& graph, std::optional<LinkWay> only) {
  Applied applied;
  const trace::Copies& copies = input.trace.copies;
  const HostLinks links(input.trace);
  const std::int64_t call_ns = usual_call_ns(input, graph);
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    const std::uint32_t row = input.graph.row[task];
    if (input.graph.kind[task] != TaskKind::copy || !is_pageable_copy(copies, row)) continue;
    if (only && link_way(copies.kind[row]) != only) continue;
    ++applied.count;
    if (const auto limit = links.limit(copies.device[row], copies.kind[row])) {
      const auto pinned_ns = static_cast<std::int64_t>(static_cast<double>(copies.bytes[row]) * 1e9 / limit->pinned_bytes_per_s());
      graph.set_duration(task, std::min(pinned_ns, graph.duration_ns(task)));
    }
    const auto call = input.graph.asked_by(task);
    if (!call) continue;
    graph.begin_at_once(task, call_ns);  // the driver fills its own buffer first where the memory is pageable
    graph.return_at_once(*call);
    graph.set_duration(*call, std::min(graph.duration_ns(*call), call_ns));
  }
  applied.what = fmt::format("{} copies {} pageable memory become copies of pinned memory", applied.count, which(only));
  return applied;
}

}  // namespace gputrace::analyzer
