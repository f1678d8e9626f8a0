#include "analyzer/replay/host_sequences.h"

#include <algorithm>
#include <map>

namespace gputrace::analyzer {

namespace {

constexpr std::size_t kOutside = SIZE_MAX;

std::size_t step_at(const Steps& steps, std::int64_t ns) {
  if (steps.spans.empty()) return 0;
  const auto after = std::upper_bound(steps.spans.begin(), steps.spans.end(), ns,
                                      [](std::int64_t at, const trace::Span& span) { return at < span.start_ns; });
  if (after == steps.spans.begin() || ns >= std::prev(after)->end_ns) return kOutside;
  return static_cast<std::size_t>(std::prev(after) - steps.spans.begin());
}

}  // namespace

std::vector<HostSequence> host_sequences(const trace::Trace& trace, const DependencyGraph& graph, const Steps& steps) {
  std::map<std::pair<trace::ThreadIndex, std::size_t>, std::vector<Task>> calls;
  for (Task task = 0; task < graph.task_count(); ++task) {
    if (graph.kind[task] != TaskKind::call) continue;
    const std::size_t step = step_at(steps, graph.recorded_ns[start_of(task)]);
    if (step != kOutside) calls[{trace.api_calls.thread[graph.row[task]], step}].push_back(task);
  }
  std::vector<HostSequence> sequences;
  for (auto& [key, list] : calls) sequences.push_back({key.first, key.second, std::move(list)});
  return sequences;
}

}  // namespace gputrace::analyzer
