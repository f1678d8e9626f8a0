// What host calls and the boundaries of steps follow: the call before on the thread, another thread that this one waited for, the
// meeting of all threads at a step's boundary.
#pragma once

#include <vector>

#include "analyzer/replay/edge_writer.h"
#include "analyzer/replay/recorded_waits.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

// Told of every call and barrier in the order of tasks; writes the edges to their start.
class HostOrder {
 public:
  HostOrder(const trace::Trace& trace, const TaskTable& tasks, TaskPairs& event_threads);

  void write_call_start(Task call, EdgeWriter& edges);
  void write_barrier_start(Task barrier, EdgeWriter& edges);

 private:
  struct ThreadState {
    Task last_call = kNoTask;
    Task first_call = kNoTask;  // since the barrier, of a thread that has made one since
    bool met = false;           // has made no call since the barrier
  };

  void write_host_edges(Moment before, Task call, EdgeKind kind, EdgeWriter& edges);
  void find_joined_threads(Moment before, Task call);
  trace::ProcessIndex process_of(std::size_t slot) const;
  std::size_t slot_of(Task call) const { return static_cast<std::size_t>(trace_.api_calls.thread[tasks_.row[call]].value + 1); }
  std::int64_t start_ns(Task task) const { return tasks_.start_ns(task); }
  std::int64_t end_ns(Task task) const { return tasks_.end_ns(task); }

  const trace::Trace& trace_;
  const TaskTable& tasks_;
  TaskPairs& event_threads_;
  std::vector<ThreadState> threads_;  // by ThreadIndex + 1: -1, unknown, is one too
  Task barrier_ = kNoTask;
  std::vector<Task> waited_for_;      // of the call at hand; kept for its memory
};

}  // namespace gputrace::analyzer
