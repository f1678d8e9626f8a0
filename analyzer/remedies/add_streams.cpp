// Neighbouring kernels of a stream that leave room for each other run side by side, as if none needed what the one before it wrote.
// A trace does not say what kernels need of each other, so this is the most that more streams can win.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/gpu_limits.h"
#include "analyzer/remedy.h"

namespace gputrace::analyzer {
namespace {

// Kernels that begin together, as the blocks of all of them fit on the GPU.
struct Group {
  double fill = 0;
  Task last = kNoTask;
  std::int64_t longest_ns = 0;
};

class Grouping {
 public:
  Grouping(const RemedyInput& input, ChangedGraph& graph) : input_(input), graph_(graph) {}

  std::size_t run() {
    for (Task task = 0; task < input_.graph.task_count(); ++task) {
      if (is_activity(input_.graph.kind[task])) visit(task);
    }
    return moved_;
  }

 private:
  // What runs after a group on its stream waits for the longest of it; its edge leads from the last one.
  void visit(Task task) {
    const Moment start = start_of(task);
    for (std::uint32_t e = input_.graph.first_edge[start]; e < input_.graph.first_edge[start + 1]; ++e) {
      const Edge& edge = input_.graph.edges[e];
      if (edge.kind != EdgeKind::stream) continue;
      const auto group = by_last_.find(task_of(edge.from));
      if (group == by_last_.end()) break;
      if (joins(group->second, task)) return join(group, task, e);
      graph_.set_lag(e, graph_.lags_ns()[e] + group->second.longest_ns - graph_.duration_ns(group->second.last));
      by_last_.erase(group);
      break;
    }
    begin(task);
  }

  std::optional<double> fill_of(Task task) const {
    if (input_.graph.kind[task] != TaskKind::kernel) return std::nullopt;
    const std::uint32_t row = input_.graph.row[task];
    if (input_.metrics.is_communication[input_.trace.kernels.name[row].value]) return std::nullopt;
    return gpu_fill(input_.trace, row);
  }

  bool joins(const Group& group, Task task) const {
    const auto fill = fill_of(task);
    return fill && group.fill + *fill <= 1;
  }

  void begin(Task task) {
    const auto fill = fill_of(task);
    if (fill && *fill < 1) by_last_[task] = {*fill, task, graph_.duration_ns(task)};
  }

  void join(std::map<Task, Group>::iterator at, Task task, std::uint32_t edge) {
    Group group = at->second;
    graph_.set_lag(edge, -graph_.duration_ns(group.last));  // begins with the one before, not at its end
    group.fill += *fill_of(task);
    group.longest_ns = std::max(group.longest_ns, graph_.duration_ns(task));
    group.last = task;
    by_last_.erase(at);
    by_last_[task] = group;
    ++moved_;
  }

  const RemedyInput& input_;
  ChangedGraph& graph_;
  std::map<Task, Group> by_last_;  // open groups: one per stream at most
  std::size_t moved_ = 0;
};

Applied apply(const RemedyInput& input, ChangedGraph& graph) {
  const std::size_t moved = Grouping(input, graph).run();
  return {moved, fmt::format("{} kernels begin with the one before them on their stream, as far as the GPU has room: the most that more streams can win",
                             moved)};
}

}  // namespace

extern const Remedy add_streams;
constinit const Remedy add_streams{"add-streams", "small kernels of a stream run side by side, as if independent: the most that more streams can win", apply};

}  // namespace gputrace::analyzer
