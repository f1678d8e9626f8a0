// The activities of each stream in the order in which it ran them, with the moment the host asked for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/launch_index.h"
#include "analyzer/replay/task_table.h"
#include "trace/trace.h"

namespace gputrace::analyzer {

struct StreamKey {
  std::int32_t process = -1, device = 0, context = 0, stream = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

inline StreamKey stream_key(const trace::DeviceColumns& columns, std::size_t i) {
  return {columns.process[i].value, columns.device[i].value, columns.context[i].value, columns.stream[i].value};
}

// Of the tasks of a table, which outlives it. 8 bytes per task.
class StreamIndex {
 public:
  StreamIndex(const trace::Trace& trace, const TaskTable& tasks);

  const std::vector<std::vector<Task>>& streams() const { return streams_; }  // each in the order of start

  Task call(Task activity) const { return (call_[activity] & kNotItsOwn) != 0 ? kNoTask : call_[activity]; }  // that asked for it; kNoTask: none captured
  Task call_of(trace::ProcessIndex process, trace::CorrelationId correlation) const;
  // Start of the call that asked for an activity. Where none was captured, the latest that it can have been: the activity's own start, or
  // the call for a later one of its stream.
  std::int64_t launch_ns(Task activity) const {
    if (call_[activity] == kNoTask) return tasks_.start_ns(activity);
    return std::min(tasks_.start_ns(call_[activity] & ~kNotItsOwn), tasks_.start_ns(activity));
  }

  // The last activity of a stream that the host asked for before an instant; kNoTask where there is none.
  Task last_launched_before(const StreamKey& key, std::int64_t host_ns) const;
  // The first one asked for at or after it.
  Task first_launched_after(const StreamKey& key, std::int64_t host_ns) const;
  // Of a whole context: visit(the last of each of its streams).
  template <class Visit>
  void last_of_context(std::int32_t process, std::int32_t context, std::int64_t host_ns, Visit visit) const {
    const auto streams = by_context_.find({process, context});
    if (streams == by_context_.end()) return;
    for (const std::uint32_t stream : streams->second) {
      if (const Task task = last_before(streams_[stream], host_ns); task != kNoTask) visit(task);
    }
  }

 private:
  std::uint32_t stream_of(const StreamKey& key);
  std::size_t first_at_or_after(const std::vector<Task>& stream, std::int64_t host_ns) const;
  Task last_before(const std::vector<Task>& stream, std::int64_t host_ns) const;

  void find_latest_launches();

  static constexpr Task kNotItsOwn = Task{1} << 31;  // tasks are fewer

  const TaskTable& tasks_;
  LaunchIndex launches_;
  std::vector<Task> call_;  // by task; of an activity without one, the next one's on its stream, marked
  std::vector<std::vector<Task>> streams_;
  std::map<StreamKey, std::uint32_t> by_key_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::uint32_t>> by_context_;
};

}  // namespace gputrace::analyzer
