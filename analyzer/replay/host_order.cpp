#include "analyzer/replay/host_order.h"

#include <algorithm>

#include "analyzer/thresholds.h"

namespace gputrace::analyzer {

HostOrder::HostOrder(const trace::Trace& trace, const TaskTable& tasks, TaskPairs& event_threads)
    : trace_(trace), tasks_(tasks), event_threads_(event_threads), threads_(trace.threads.size() + 1) {}

trace::ProcessIndex HostOrder::process_of(std::size_t slot) const {
  return slot == 0 ? trace::ProcessIndex{-1} : trace_.threads[slot - 1].process;
}

// Host calls of a thread follow each other; at a barrier the threads that came before it meet and leave together.
void HostOrder::write_call_start(Task call, EdgeWriter& edges) {
  ThreadState& thread = threads_[slot_of(call)];
  const bool is_first = thread.last_call == kNoTask;
  const bool after_barrier = barrier_ != kNoTask && (is_first || thread.met);
  if (after_barrier) write_host_edges(start_of(barrier_), call, EdgeKind::step, edges);
  else if (!is_first) write_host_edges(end_of(thread.last_call), call, EdgeKind::program, edges);
  if (after_barrier || is_first) thread.first_call = call;
  thread.met = false;
  thread.last_call = call;
}

// The last calls of threads of the process that did all their work of the step, so far, while this one made no call for long
// and then made one as soon as they were done: it waited for them. None where it came later, with work of its own.
void HostOrder::find_joined_threads(Moment before, Task call) {
  const std::int64_t from_ns = tasks_.recorded_ns[before], to_ns = start_ns(call);
  if (to_ns - from_ns < static_cast<std::int64_t>(thresholds::kPauseNs)) return;
  const std::size_t own = slot_of(call);
  std::int64_t done_ns = from_ns;
  for (std::size_t other = 0; other < threads_.size(); ++other) {
    const ThreadState& thread = threads_[other];
    if (thread.first_call == kNoTask || other == own || process_of(other) != process_of(own)) continue;
    if (start_ns(thread.first_call) < from_ns || end_ns(thread.last_call) > to_ns) continue;
    waited_for_.push_back(thread.last_call);
    done_ns = std::max(done_ns, end_ns(thread.last_call));
  }
  const bool at_once = to_ns - done_ns <= std::max<std::int64_t>(static_cast<std::int64_t>(thresholds::kLaunchGapNs), (to_ns - from_ns) / 50);
  if (!at_once) waited_for_.clear();
}

// A thread that asks a stream to wait for an event which another thread has recorded since its own last call waited for that
// thread: an event must be recorded before it is waited for.
void HostOrder::write_host_edges(Moment before, Task call, EdgeKind kind, EdgeWriter& edges) {
  waited_for_.clear();
  find_joined_threads(before, call);
  event_threads_.visit_next(call, [&](Task recorder) {
    if (end_ns(recorder) > tasks_.recorded_ns[before] && end_ns(recorder) <= start_ns(call)) waited_for_.push_back(recorder);
  });
  if (waited_for_.empty()) return edges.add_recorded(before, kind);
  edges.add(before, kind, 0);
  std::int64_t done_ns = INT64_MIN;
  for (const Task other : waited_for_) done_ns = std::max(done_ns, end_ns(other));
  for (const Task other : waited_for_) edges.add(end_of(other), EdgeKind::handover, start_ns(call) - done_ns);
}

void HostOrder::write_barrier_start(Task barrier, EdgeWriter& edges) {
  Task latest = kNoTask;
  for (const ThreadState& thread : threads_) {
    if (thread.last_call == kNoTask || thread.met) continue;
    if (latest == kNoTask || end_ns(thread.last_call) > end_ns(latest)) latest = thread.last_call;
  }
  // What passes between the last thread's end and the boundary is work after all of them, whichever is the last.
  for (ThreadState& thread : threads_) {
    if (thread.last_call != kNoTask && !thread.met) edges.add(end_of(thread.last_call), EdgeKind::step, start_ns(barrier) - end_ns(latest));
    thread.met = true;
    thread.first_call = kNoTask;
  }
  if (latest == kNoTask && barrier_ != kNoTask) edges.add_recorded(start_of(barrier_), EdgeKind::step);
  barrier_ = barrier;
}

}  // namespace gputrace::analyzer
