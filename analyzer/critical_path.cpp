#include "analyzer/critical_path.h"

#include <algorithm>
#include <map>
#include <string>

#include "analyzer/path_reader.h"
#include "analyzer/replay/replay.h"
#include "analyzer/replay/slack.h"
#include "analyzer/replay/task_table.h"

namespace gputrace::analyzer {
namespace {

constexpr std::size_t kMostSteps = 200;  // whose paths are told one by one
constexpr std::size_t kMostNear = 32;

// The steps of the window; the window as one where there are none.
std::vector<trace::Span> spans_of(const Metrics& metrics) {
  if (metrics.steps.spans.empty()) return {metrics.window};
  return {metrics.steps.spans.begin() + static_cast<std::ptrdiff_t>(metrics.steps.warm_up), metrics.steps.spans.end()};
}

// The last span that begins at or before an instant; the first for one before all.
std::size_t span_at(const std::vector<trace::Span>& spans, std::int64_t ns) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), ns, [](std::int64_t at, const trace::Span& span) { return at < span.start_ns; });
  return after == spans.begin() ? 0 : static_cast<std::size_t>(after - spans.begin()) - 1;
}

// The parts of the path per span, cut at the spans' beginnings.
std::vector<std::map<std::string, std::int64_t>> path_by_span(const trace::Trace& trace, const DependencyGraph& graph, const Replayed& replayed,
                                                              const std::vector<trace::Span>& spans) {
  std::vector<std::map<std::string, std::int64_t>> by_span(spans.size());
  PathReader reader(trace, graph);
  const std::vector<Moment> path = critical_path(graph, replayed);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    std::int64_t until_ns = replayed.at_ns[path[i]];
    const std::int64_t from_ns = replayed.at_ns[path[i + 1]];
    if (from_ns == until_ns) continue;
    const std::string what = reader.text_of(path[i], graph.edges[replayed.binding_edge[path[i]]]);
    for (std::size_t span = span_at(spans, until_ns - 1); until_ns > from_ns; --span) {
      const std::int64_t start_ns = span == 0 ? from_ns : std::max(from_ns, spans[span].start_ns);
      by_span[span][what] += until_ns - start_ns;
      until_ns = start_ns;
    }
  }
  return by_span;
}

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The least float of each GPU's activities and each thread's calls in each span, by who it is.
class NearPaths {
 public:
  NearPaths(const trace::Trace& trace, const DependencyGraph& graph) : trace_(trace), graph_(graph) {}

  std::vector<CriticalPath::Near> find(const std::vector<std::int64_t>& floats_ns, const std::vector<trace::Span>& spans) {
    std::map<std::pair<bool, std::int32_t>, std::map<std::size_t, std::int64_t>> least;  // is a GPU, its id or the thread's
    for (Task task = 0; task < graph_.task_count(); ++task) {
      const TaskKind kind = graph_.kind[task];
      if (kind != TaskKind::call && !is_activity(kind)) continue;
      const std::size_t span = span_at(spans, graph_.recorded_ns[start_of(task)]);
      const auto [entry, is_new] = least[who(task)].try_emplace(span, floats_ns[end_of(task)]);
      if (!is_new) entry->second = std::min(entry->second, floats_ns[end_of(task)]);
    }
    std::vector<CriticalPath::Near> near;
    for (const auto& [key, by_span] : least) {
      std::vector<std::int64_t> values;
      for (const auto& [span, ns] : by_span) values.push_back(ns);
      near.push_back({text_of(key), median(std::move(values))});
    }
    std::stable_sort(near.begin(), near.end(), [](const CriticalPath::Near& a, const CriticalPath::Near& b) { return a.float_ns < b.float_ns; });
    if (near.size() > kMostNear) near.resize(kMostNear);
    return near;
  }

 private:
  std::pair<bool, std::int32_t> who(Task task) const {
    if (graph_.kind[task] == TaskKind::call) return {false, trace_.api_calls.thread[graph_.row[task]].value};
    return {true, columns_of(trace_, graph_.kind[task]).device[graph_.row[task]].value};
  }

  std::string text_of(std::pair<bool, std::int32_t> key) const {
    if (key.first) return "GPU " + std::to_string(key.second);
    if (key.second < 0) return "host threads that are not known";
    const trace::Thread& thread = trace_.threads[static_cast<std::size_t>(key.second)];
    const std::string text = "thread " + std::to_string(thread.tid);
    return thread.name.empty() ? text : text + " (" + thread.name + ")";
  }

  const trace::Trace& trace_;
  const DependencyGraph& graph_;
};

}  // namespace

std::optional<CriticalPath> find_critical_path(const trace::Trace& trace, const Metrics& metrics, const WhatIf& what_if) {
  if (!what_if.possible()) return std::nullopt;
  const DependencyGraph& graph = what_if.graph();
  if (graph.task_count() == 0) return std::nullopt;
  const Replayed replayed = replay(graph);
  const std::vector<trace::Span> spans = spans_of(metrics);
  CriticalPath path;
  std::map<std::string, std::int64_t> total;
  const auto by_span = path_by_span(trace, graph, replayed, spans);
  for (std::size_t span = 0; span < spans.size(); ++span) {
    std::int64_t ns = 0;
    for (const auto& [what, part_ns] : by_span[span]) total[what] += part_ns, ns += part_ns;
    const std::vector<PathPart> parts = by_time(by_span[span]);
    if (!parts.empty() && path.steps.size() < kMostSteps) path.steps.push_back({metrics.steps.warm_up + span, ns, parts.front()});
  }
  path.parts = by_time(total);
  path.near = NearPaths(trace, graph).find(floats_ns(graph, replayed), spans);
  return path;
}

}  // namespace gputrace::analyzer
