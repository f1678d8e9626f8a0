// The tasks of a dependency graph, numbered in the order of start.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/collectives.h"
#include "analyzer/replay/dependency_graph.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct TaskTable {
  std::vector<TaskKind> kind;
  std::vector<std::uint32_t> row;
  std::vector<std::int64_t> recorded_ns;  // per moment
  std::vector<Task> of_call;              // by row of api_calls: the task that stands for it; kNoTask outside of the window
  std::size_t crossed_boundaries = 0;     // of steps, which calls cross: there is no barrier there

  std::size_t size() const { return kind.size(); }
  std::int64_t start_ns(Task task) const { return recorded_ns[start_of(task)]; }
  std::int64_t end_ns(Task task) const { return recorded_ns[end_of(task)]; }
};

// Calls that reach into the window, activities that start in it. A call within another of its thread (a driver call of a runtime
// call) is no task of its own. Migrations of unified memory are none either: they are part of a kernel or of the host's work. At one
// instant a barrier comes first: what begins there begins after it.
TaskTable number_tasks(const trace::Trace& trace, const Steps& steps, trace::Span window, const std::vector<Collective>& collectives);

// Of pages of unified memory: within a kernel or the host's work, in no stream's order.
bool is_migration(trace::CopyKind kind);

// Of an activity's kind.
const trace::DeviceColumns& columns_of(const trace::Trace& trace, TaskKind kind);

}  // namespace gputrace::analyzer
