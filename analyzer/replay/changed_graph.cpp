#include "analyzer/replay/changed_graph.h"

#include <algorithm>
#include <cmath>

namespace gputrace::analyzer {

ChangedGraph::ChangedGraph(const DependencyGraph& graph) : graph_(graph) {
  lags_ns_.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges) lags_ns_.push_back(edge.lag_ns);
}

std::optional<std::uint32_t> ChangedGraph::edge_into(Moment moment, EdgeKind kind) const {
  for (std::uint32_t e = graph_.first_edge[moment]; e < graph_.first_edge[moment + 1]; ++e)
    if (graph_.edges[e].kind == kind) return e;
  return std::nullopt;
}

std::int64_t ChangedGraph::duration_ns(Task task) const {
  const auto edge = edge_into(end_of(task), EdgeKind::duration);
  return edge ? lags_ns_[*edge] : 0;
}

void ChangedGraph::set_duration(Task task, std::int64_t ns) {
  const Moment end = end_of(task);
  for (std::uint32_t e = graph_.first_edge[end]; e < graph_.first_edge[end + 1]; ++e) {
    const bool is_duration = graph_.edges[e].kind == EdgeKind::duration || graph_.edges[e].kind == EdgeKind::collective;
    if (is_duration && lags_ns_[e] != kNoEdge) lags_ns_[e] = ns;
  }
}

void ChangedGraph::scale_duration(Task task, double factor) {
  set_duration(task, std::llround(factor * static_cast<double>(duration_ns(task))));
}

std::int64_t ChangedGraph::host_work_before_ns(Task task) const {
  auto edge = edge_into(start_of(task), EdgeKind::program);
  if (!edge) edge = edge_into(start_of(task), EdgeKind::step);
  return edge ? lags_ns_[*edge] : 0;
}

void ChangedGraph::set_host_work_before(Task task, std::int64_t ns) {
  const Moment start = start_of(task);
  for (std::uint32_t e = graph_.first_edge[start]; e < graph_.first_edge[start + 1]; ++e) {
    const EdgeKind kind = graph_.edges[e].kind;
    if (kind == EdgeKind::program || kind == EdgeKind::step) lags_ns_[e] = ns;
  }
}

void ChangedGraph::wait_for_no_thread(Task call) {
  const Moment start = start_of(call);
  for (std::uint32_t e = graph_.first_edge[start]; e < graph_.first_edge[start + 1]; ++e)
    if (graph_.edges[e].kind == EdgeKind::handover) lags_ns_[e] = kNoEdge;
}

void ChangedGraph::begin_at_once(Task activity, std::int64_t launch_ns) {
  const Moment start = start_of(activity);
  for (std::uint32_t e = graph_.first_edge[start]; e < graph_.first_edge[start + 1]; ++e)
    if (lags_ns_[e] != kNoEdge) lags_ns_[e] = std::min(lags_ns_[e], graph_.edges[e].kind == EdgeKind::launch ? launch_ns : 0);
}

bool ChangedGraph::waits_for_gpu(Task call) const {
  const auto edge = edge_into(end_of(call), EdgeKind::blocking);
  return edge && lags_ns_[*edge] != kNoEdge;
}

void ChangedGraph::return_at_once(Task call) {
  const Moment end = end_of(call);
  for (std::uint32_t e = graph_.first_edge[end]; e < graph_.first_edge[end + 1]; ++e)
    if (graph_.edges[e].kind == EdgeKind::blocking || graph_.edges[e].kind == EdgeKind::would_block) lags_ns_[e] = kNoEdge;
}

void ChangedGraph::leave_out_call(Task call) {
  return_at_once(call);
  set_duration(call, 0);
  set_host_work_before(call, 0);
}

void ChangedGraph::leave_out_activity(Task activity) {
  set_duration(activity, 0);
  const Moment start = start_of(activity);
  for (std::uint32_t e = graph_.first_edge[start]; e < graph_.first_edge[start + 1]; ++e)
    lags_ns_[e] = graph_.edges[e].kind == EdgeKind::stream || graph_.edges[e].kind == EdgeKind::launch ? 0 : kNoEdge;
  const Moment end = end_of(activity);
  for (std::uint32_t e = graph_.first_edge[end]; e < graph_.first_edge[end + 1]; ++e)
    if (graph_.edges[e].kind == EdgeKind::collective) lags_ns_[e] = kNoEdge;
}

// By all that it waits for but the room that another kernel makes.
template <class Lag>
std::int64_t ChangedGraph::ready_ns(Task kernel, const std::vector<std::int64_t>& at_ns, const Lag& lag_of) const {
  std::int64_t ready_ns = INT64_MIN;
  const Moment start = start_of(kernel);
  for (std::uint32_t e = graph_.first_edge[start]; e < graph_.first_edge[start + 1]; ++e) {
    const std::int64_t lag_ns = lag_of(e);
    if (graph_.edges[e].kind != EdgeKind::engine && lag_ns != kNoEdge) ready_ns = std::max(ready_ns, at_ns[graph_.edges[e].from] + lag_ns);
  }
  return ready_ns;
}

// Which kernel of two streams runs first is decided by when each is ready: where that has turned round, the second no longer waits for
// the first. Where it has not, it waits as before: a change elsewhere does not make room.
bool ChangedGraph::goes_first_now(Task second, Task first, const std::vector<std::int64_t>& at_ns) const {
  const auto recorded = [&](std::uint32_t e) { return graph_.edges[e].lag_ns; };
  const auto changed = [&](std::uint32_t e) { return lags_ns_[e]; };
  return ready_ns(second, at_ns, changed) < ready_ns(first, at_ns, changed) &&
         ready_ns(second, graph_.recorded_ns, recorded) >= ready_ns(first, graph_.recorded_ns, recorded);
}

Replayed ChangedGraph::replayed() const {
  return replay(graph_, [this](const DependencyGraph& graph, Moment to, const Edge& edge, const std::vector<std::int64_t>& at_ns) {
    const bool is_room = edge.kind == EdgeKind::engine && graph.kind[task_of(to)] == TaskKind::kernel;
    if (is_room && goes_first_now(task_of(to), task_of(edge.from), at_ns)) return kNoEdge;
    return lags_ns_[static_cast<std::size_t>(&edge - graph.edges.data())];  // the edge's place in the graph is its place among the lags
  });
}

}  // namespace gputrace::analyzer
