// Collects the edges of a graph, moment by moment in their order: what leads to one is written before the next one's.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/dependency_graph.h"
#include "analyzer/replay/task_table.h"

namespace gputrace::analyzer {

class EdgeWriter {
 public:
  EdgeWriter(const TaskTable& tasks, DependencyGraph& graph) : tasks_(tasks), graph_(graph) {
    // Room is made for more than is usual, since growing would move all; pages that nothing is written to cost nothing.
    graph.edges.reserve(4 * tasks.size());
    graph.first_edge.reserve(2 * tasks.size() + 1);
    graph.first_edge.push_back(0);
  }

  Moment to() const { return static_cast<Moment>(graph_.first_edge.size() - 1); }  // the moment that edges lead to now

  void add(Moment from, EdgeKind kind, std::int64_t lag_ns) { graph_.edges.push_back({from, kind, lag_ns}); }
  void add_recorded(Moment from, EdgeKind kind) { add(from, kind, tasks_.recorded_ns[to()] - tasks_.recorded_ns[from]); }
  void next_moment() { graph_.first_edge.push_back(static_cast<std::uint32_t>(graph_.edges.size())); }

 private:
  const TaskTable& tasks_;
  DependencyGraph& graph_;
};

}  // namespace gputrace::analyzer
