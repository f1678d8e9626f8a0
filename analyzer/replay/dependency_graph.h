// What waited for what in a trace: host calls in the order of their threads, activities on GPUs in the order of their streams, and
// the edges between them. Every edge is one that CUDA guarantees or that the trace records; where the order cannot be known the
// graph has no edge, and `unknown` says what is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/diagnosis.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// A task is a host call or an activity on a GPU. Each has two moments: 2 * task is its start, 2 * task + 1 its end.
using Task = std::uint32_t;
using Moment = std::uint32_t;
constexpr Task kNoTask = UINT32_MAX;
constexpr Moment start_of(Task task) { return 2 * task; }
constexpr Moment end_of(Task task) { return 2 * task + 1; }
constexpr Task task_of(Moment moment) { return moment / 2; }

enum class TaskKind : std::uint8_t {
  call,
  kernel,
  copy,
  fill,
  graph,    // a CUDA graph that was recorded as a whole
  barrier,  // a step's boundary, where all host threads meet
  meeting,  // the instant at which the last part of a collective has begun on its GPU
};
constexpr bool is_activity(TaskKind kind) {
  return kind == TaskKind::kernel || kind == TaskKind::copy || kind == TaskKind::fill || kind == TaskKind::graph;
}

enum class EdgeKind : std::uint8_t {
  program,     // the call before on the same host thread; the lag is the host's own work between the two
  handover,    // from a call of another thread that this one waited for: it recorded the event that this one has a stream wait
               // for, or it was the last of the work during all of which this thread made no call
  duration,    // from a task's start to its end; of a part of a collective: without what it waited for the other parts
  launch,      // from the call to the activity that it asked for
  stream,      // the activity before on the same stream
  event,       // the activity before a recorded event that this stream waited for
  default_stream,  // between the legacy default stream and one that waits for it, where the trace shows that they take turns
  engine,      // the copy before on the same copy engine, or the kernel whose end made room
  collective,  // to the meeting of a collective's parts and from it to their ends: none leaves before the last arrives
  blocking,    // from an activity to the end of the call that waited for it
  would_block,  // the same of an activity that was over when the call began: in another run it may not be
  step,        // all threads meet at a step's boundary
};

struct Edge {
  Moment from = 0;
  EdgeKind kind = EdgeKind::program;
  std::int64_t lag_ns = 0;  // to >= from + lag
};

struct DependencyGraph {
  // Per task, in the order of start.
  std::vector<TaskKind> kind;
  std::vector<std::uint32_t> row;           // of the trace's table of that kind; of a barrier or a meeting: which of them
  std::vector<std::int64_t> recorded_ns;    // per moment
  // Edges by the moment they lead to: edges[first_edge[m] .. first_edge[m + 1]).
  std::vector<std::uint32_t> first_edge;
  std::vector<Edge> edges;
  std::vector<Moment> order;                // every moment after all that it depends on: by recorded time
  std::vector<std::string> unknown;         // "no synchronization records: ..."

  std::size_t task_count() const { return kind.size(); }
  std::size_t moment_count() const { return recorded_ns.size(); }
  std::optional<Task> asked_by(Task activity) const;  // the call that asked for it, where it is in the graph
};

// Of the part of the trace that lies in the window: at most 2^31 tasks, the first ones. O(n log n) for the ends' order, else linear;
// about 90 bytes per event, and as much again while it is built.
DependencyGraph build_dependency_graph(const trace::Trace& trace, const Steps& steps, trace::Span window);

}  // namespace gputrace::analyzer
