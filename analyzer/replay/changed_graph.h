// A dependency graph with other lags: what a change to the program makes of it. Changes add up; replay it for the new times.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/replay/dependency_graph.h"
#include "analyzer/replay/replay.h"

namespace gputrace::analyzer {

class ChangedGraph {
 public:
  explicit ChangedGraph(const DependencyGraph& graph);  // outlives this

  const DependencyGraph& graph() const { return graph_; }
  const std::vector<std::int64_t>& lags_ns() const { return lags_ns_; }  // per edge; kNoEdge: dropped

  void set_lag(std::uint32_t edge, std::int64_t ns) { lags_ns_[edge] = ns; }  // of graph().edges; may be negative

  std::int64_t duration_ns(Task task) const;  // as changed; of a call, or a part of a collective: without what it waits for
  void set_duration(Task task, std::int64_t ns);
  void scale_duration(Task task, double factor);

  // The host's own work right before a call: on its thread since the call before, or since the step began. Before a barrier:
  // since the last thread's last call.
  std::int64_t host_work_before_ns(Task call_or_barrier) const;
  void set_host_work_before(Task call_or_barrier, std::int64_t ns);

  void wait_for_no_thread(Task call);  // of those that hand over to it

  // An activity that began late after all that it waited for, for reasons of its own (a copy that is staged, a kernel that is loaded),
  // begins right after it, and at most `launch_ns` after its call began.
  void begin_at_once(Task activity, std::int64_t launch_ns);

  // Host work that a remedy has moved beside other work: no longer in the way, and still to be done by somebody.
  void add_host_work_beside(std::int64_t ns) { beside_ns_ += ns; }
  std::int64_t host_work_beside_ns() const { return beside_ns_; }

  bool waits_for_gpu(Task call) const;
  void return_at_once(Task call);   // it no longer waits for the GPU
  void leave_out_call(Task call);   // nor takes any time of its own, nor the host's work before it
  void leave_out_activity(Task activity);  // takes no time, and follows what is before it on its stream

  Replayed replayed() const;

 private:
  std::optional<std::uint32_t> edge_into(Moment moment, EdgeKind kind) const;  // the longest of them
  template <class Lag>
  std::int64_t ready_ns(Task kernel, const std::vector<std::int64_t>& at_ns, const Lag& lag_of) const;
  bool goes_first_now(Task second, Task first, const std::vector<std::int64_t>& at_ns) const;

  const DependencyGraph& graph_;
  std::vector<std::int64_t> lags_ns_;
  std::int64_t beside_ns_ = 0;
};

}  // namespace gputrace::analyzer
