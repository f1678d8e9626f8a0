#include "analyzer/replay/dependency_graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/replay/collectives.h"
#include "analyzer/replay/device_order.h"
#include "analyzer/replay/edge_writer.h"
#include "analyzer/replay/host_order.h"
#include "analyzer/replay/moment_order.h"
#include "analyzer/replay/recorded_waits.h"
#include "analyzer/replay/stream_index.h"
#include "analyzer/replay/task_table.h"

namespace gputrace::analyzer {
namespace {

using trace::Trace;

// A call that returned after what it waited for ended: its end follows that end. What is left of its own time is its cost.
void write_call_end(Task call, const TaskTable& tasks, RecordedWaits& waits, EdgeWriter& edges) {
  const std::int64_t call_ns = tasks.end_ns(call) - tasks.start_ns(call);
  std::int64_t own_ns = call_ns;
  waits.would_block.visit_next(call, [&](Task activity) { edges.add(end_of(activity), EdgeKind::would_block, call_ns); });
  waits.blocking.visit_next(call, [&](Task activity) {
    edges.add_recorded(end_of(activity), EdgeKind::blocking);
    own_ns = std::min(own_ns, tasks.end_ns(call) - tasks.end_ns(activity));
  });
  edges.add(start_of(call), EdgeKind::duration, own_ns);
}

void write_edges(const Trace& trace, const TaskTable& tasks, const std::vector<Collective>& collectives, DependencyGraph& graph) {
  const StreamIndex index(trace, tasks);
  RecordedWaits waits = find_recorded_waits(trace, tasks, index);
  graph.unknown.insert(graph.unknown.end(), waits.unknown.begin(), waits.unknown.end());
  HostOrder host(trace, tasks, waits.event_threads);
  DeviceOrder device(trace, tasks, index, collectives, waits);
  EdgeWriter edges(tasks, graph);
  for (Task task = 0; task < tasks.size(); ++task) {
    const TaskKind kind = tasks.kind[task];
    if (kind == TaskKind::call) host.write_call_start(task, edges);
    else if (kind == TaskKind::barrier) host.write_barrier_start(task, edges);
    else if (kind == TaskKind::meeting) device.write_meeting(task, edges);
    else device.write_start(task, edges);
    edges.next_moment();
    if (kind == TaskKind::call) write_call_end(task, tasks, waits, edges);
    else if (is_activity(kind)) device.write_end(task, edges);
    else edges.add(start_of(task), EdgeKind::duration, 0);
    edges.next_moment();
  }
}

}  // namespace

std::optional<Task> DependencyGraph::asked_by(Task activity) const {
  const Moment start = start_of(activity);
  for (std::uint32_t e = first_edge[start]; e < first_edge[start + 1]; ++e)
    if (edges[e].kind == EdgeKind::launch) return task_of(edges[e].from);
  return std::nullopt;
}

DependencyGraph build_dependency_graph(const Trace& trace, const Steps& steps, trace::Span window) {
  const Collectives collectives = find_collectives(trace, window);
  TaskTable tasks = number_tasks(trace, steps, window, collectives.matched);
  DependencyGraph graph;
  if (tasks.crossed_boundaries > 0) {
    graph.unknown.push_back("calls cross the boundary of " + std::to_string(tasks.crossed_boundaries) +
                            " steps: which thread waited for which there is not recorded");
  }
  if (collectives.unmatched > 0) {
    graph.unknown.push_back("which other GPUs " + std::to_string(collectives.unmatched) + " kernels of collectives waited for: no others ran and ended with them");
  }
  graph.order = order_moments(tasks);
  write_edges(trace, tasks, collectives.matched, graph);
  graph.kind = std::move(tasks.kind);
  graph.row = std::move(tasks.row);
  graph.recorded_ns = std::move(tasks.recorded_ns);
  return graph;
}

}  // namespace gputrace::analyzer
