#include "analyzer/replay/stream_index.h"

#include <algorithm>
#include <optional>

namespace gputrace::analyzer {

StreamIndex::StreamIndex(const trace::Trace& trace, const TaskTable& tasks) : tasks_(tasks), launches_(trace), call_(tasks.size(), kNoTask) {
  std::optional<StreamKey> last_key;
  std::uint32_t last_stream = 0;
  for (Task task = 0; task < tasks.size(); ++task) {
    if (!is_activity(tasks.kind[task])) continue;
    const trace::DeviceColumns& table = columns_of(trace, tasks.kind[task]);
    const std::uint32_t row = tasks.row[task];
    const StreamKey key = stream_key(table, row);
    if (key != last_key) last_stream = stream_of(key), last_key = key;
    streams_[last_stream].push_back(task);
    call_[task] = call_of(table.process[row], table.correlation[row]);
  }
  find_latest_launches();
}

void StreamIndex::find_latest_launches() {
  for (const std::vector<Task>& stream : streams_) {
    Task next = kNoTask;  // call of a later activity
    for (auto task = stream.rbegin(); task != stream.rend(); ++task) {
      if (call_[*task] != kNoTask) next = call_[*task];
      else if (next != kNoTask) call_[*task] = next | kNotItsOwn;
    }
  }
}

std::uint32_t StreamIndex::stream_of(const StreamKey& key) {
  const auto [entry, is_new] = by_key_.try_emplace(key, static_cast<std::uint32_t>(streams_.size()));
  if (is_new) {
    streams_.emplace_back();
    by_context_[{key.process, key.context}].push_back(entry->second);
  }
  return entry->second;
}

Task StreamIndex::call_of(trace::ProcessIndex process, trace::CorrelationId correlation) const {
  const auto row = launches_.call(process, correlation);
  return row ? tasks_.of_call[*row] : kNoTask;
}

// A stream runs its work in the order in which it was asked for, so launches are in order too.
std::size_t StreamIndex::first_at_or_after(const std::vector<Task>& stream, std::int64_t host_ns) const {
  const auto found = std::lower_bound(stream.begin(), stream.end(), host_ns, [this](Task task, std::int64_t ns) { return launch_ns(task) < ns; });
  return static_cast<std::size_t>(found - stream.begin());
}

Task StreamIndex::last_before(const std::vector<Task>& stream, std::int64_t host_ns) const {
  const std::size_t next = first_at_or_after(stream, host_ns);
  return next == 0 ? kNoTask : stream[next - 1];
}

Task StreamIndex::last_launched_before(const StreamKey& key, std::int64_t host_ns) const {
  const auto stream = by_key_.find(key);
  return stream == by_key_.end() ? kNoTask : last_before(streams_[stream->second], host_ns);
}

Task StreamIndex::first_launched_after(const StreamKey& key, std::int64_t host_ns) const {
  const auto stream = by_key_.find(key);
  if (stream == by_key_.end()) return kNoTask;
  const std::size_t next = first_at_or_after(streams_[stream->second], host_ns);
  return next == streams_[stream->second].size() ? kNoTask : streams_[stream->second][next];
}

}  // namespace gputrace::analyzer
