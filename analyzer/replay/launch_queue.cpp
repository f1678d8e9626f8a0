#include "analyzer/replay/launch_queue.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/overhead_calls.h"

namespace gputrace::analyzer {
namespace {

constexpr std::size_t kFullQueue = 1'000;         // activities under way
constexpr std::int64_t kLongLaunchNs = 20'000;    // a launch that waits for nothing takes 2 to 10 us
constexpr std::int64_t kReturnsWithinNs = 50'000; // of the end of what made room

struct End {
  std::int64_t ns;
  Task task;
};

struct Asked {
  std::int64_t launch_ns;  // start of the call; INT64_MIN: before the recording
  Task activity;
};

// Of one context.
struct Queue {
  std::vector<End> ends;
  std::vector<Asked> asked;
};

// How many of those asked for before one are under way when it is: ends come in order, so those over are counted, whichever they are.
void find_in_queue(Queue& queue, const TaskTable& tasks, const StreamIndex& index, TaskPairs& blocking) {
  std::sort(queue.asked.begin(), queue.asked.end(), [](const Asked& a, const Asked& b) { return a.launch_ns < b.launch_ns; });
  auto over = queue.ends.begin();
  for (std::size_t i = 0; i < queue.asked.size(); ++i) {
    const auto [launch_ns, activity] = queue.asked[i];
    if (launch_ns == INT64_MIN) continue;
    const std::int64_t end_ns = tasks.end_ns(index.call(activity));
    while (over != queue.ends.end() && over->ns <= launch_ns) ++over;
    const auto done = static_cast<std::size_t>(over - queue.ends.begin());
    if (i < done + kFullQueue || end_ns - launch_ns < kLongLaunchNs) continue;
    const auto after = std::upper_bound(over, queue.ends.end(), end_ns, [](std::int64_t ns, const End& end) { return ns < end.ns; });
    if (after != over && end_ns - std::prev(after)->ns <= kReturnsWithinNs) blocking.add(index.call(activity), std::prev(after)->task);
  }
}

using Queues = std::map<std::pair<std::int32_t, std::int32_t>, Queue>;  // by process and context

// The activity of a process that ended last before an instant, and not long before; kNoTask: none.
Task last_over(const Queues& queues, std::int32_t process, std::int64_t ns) {
  End last{ns - kReturnsWithinNs, kNoTask};
  for (auto queue = queues.lower_bound({process, INT32_MIN}); queue != queues.end() && queue->first.first == process; ++queue) {
    const std::vector<End>& ends = queue->second.ends;
    const auto after = std::upper_bound(ends.begin(), ends.end(), ns, [](std::int64_t at, const End& end) { return at < end.ns; });
    if (after != ends.begin() && std::prev(after)->ns > last.ns) last = *std::prev(after);
  }
  return last.task;
}

bool is_full_buffer(trace::OverheadKind kind) { return kind == trace::OverheadKind::command_buffer_full; }

// Where the driver itself recorded that its buffer was full: the call in which that was waited until the activity that made room was over.
void find_recorded_full_buffers(const TaskTable& tasks, const trace::Trace& trace, const Queues& queues, TaskPairs& blocking) {
  for (const auto& [overhead, row] : calls_of_overheads(trace, is_full_buffer)) {
    const Task call = tasks.of_call[row];
    const std::int64_t full_until_ns = trace.overheads.end_ns[overhead];
    if (call == kNoTask || tasks.end_ns(call) < full_until_ns) continue;
    const trace::ThreadIndex thread = trace.overheads.thread[overhead];
    const Task made_room = last_over(queues, trace.threads[static_cast<std::size_t>(thread.value)].process.value, full_until_ns);
    if (made_room != kNoTask && tasks.end_ns(made_room) > tasks.start_ns(call)) blocking.add(call, made_room);
  }
}

}  // namespace

void find_full_launch_queues(const TaskTable& tasks, const trace::Trace& trace, const StreamIndex& index, TaskPairs& blocking) {
  Queues queues;
  std::set<StreamKey> begun;  // streams that have reached what was asked for within the recording
  for (Task task = 0; task < tasks.size(); ++task) {
    if (!is_activity(tasks.kind[task])) continue;
    const trace::DeviceColumns& table = columns_of(trace, tasks.kind[task]);
    const std::uint32_t row = tasks.row[task];
    const bool has_call = index.call(task) != kNoTask;
    if (has_call) begun.insert(stream_key(table, row));
    else if (begun.contains(stream_key(table, row))) continue;  // who asked for it is not recorded, nor when
    Queue& queue = queues[{table.process[row].value, table.context[row].value}];
    queue.ends.push_back({tasks.end_ns(task), task});
    queue.asked.push_back({has_call ? index.launch_ns(task) : INT64_MIN, task});
  }
  for (auto& [context, queue] : queues) std::sort(queue.ends.begin(), queue.ends.end(), [](const End& a, const End& b) { return a.ns < b.ns; });
  find_recorded_full_buffers(tasks, trace, queues, blocking);
  for (auto& [context, queue] : queues)
    if (queue.asked.size() > kFullQueue) find_in_queue(queue, tasks, index, blocking);
}

}  // namespace gputrace::analyzer
