#include "analyzer/replay/recorded_waits.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "analyzer/replay/default_stream.h"
#include "analyzer/replay/launch_queue.h"

namespace gputrace::analyzer {
namespace {

using trace::Trace;

struct EventRecord {  // cudaEventRecord
  std::int32_t process;
  std::int64_t event;
  std::int64_t host_ns;
  StreamKey stream;
  Task call;
};

class Finder {
 public:
  Finder(const Trace& trace, const TaskTable& tasks, const StreamIndex& index) : trace_(trace), tasks_(tasks), index_(index) { collect_records(); }

  RecordedWaits find() {
    find_stream_waits();
    find_blocking_calls();
    find_default_stream_waits(tasks_, trace_, index_, waits_.default_stream);
    waits_.default_stream.sort();
    waits_.events.sort();
    waits_.event_threads.sort();
    waits_.blocking.sort();
    waits_.would_block.sort();
    return std::move(waits_);
  }

 private:
  void collect_records() {
    const trace::CudaEvents& events = trace_.cuda_events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Task call = index_.call_of(events.process[i], events.correlation[i]);
      if (call != kNoTask) records_.push_back({events.process[i].value, events.event[i], tasks_.start_ns(call), stream_key(events, i), call});
    }
    std::stable_sort(records_.begin(), records_.end(), [](const EventRecord& a, const EventRecord& b) {
      return std::tie(a.process, a.event, a.host_ns) < std::tie(b.process, b.event, b.host_ns);
    });
  }

  // The latest record of an event before a call at host_ns asked about it.
  const EventRecord* latest_record(std::int32_t process, std::int64_t event, std::int64_t host_ns) const {
    const auto after = std::upper_bound(records_.begin(), records_.end(), std::tie(process, event, host_ns), [](const auto& key, const EventRecord& record) {
      return key < std::tie(record.process, record.event, record.host_ns);
    });
    if (after == records_.begin()) return nullptr;
    const EventRecord& record = *std::prev(after);
    return record.process == process && record.event == event ? &record : nullptr;
  }

  // What the event stood for then.
  Task recorded_activity(const EventRecord* record) const { return record ? index_.last_launched_before(record->stream, record->host_ns) : kNoTask; }

  trace::ThreadIndex thread_of(Task call) const { return trace_.api_calls.thread[tasks_.row[call]]; }

  void find_stream_waits() {
    const trace::Synchronizations& syncs = trace_.synchronizations;
    bool any = false;
    for (std::size_t i = 0; i < syncs.size(); ++i) {
      if (syncs.kind[i] != trace::SyncKind::stream_wait_event) continue;
      any = true;
      const Task call = index_.call_of(syncs.process[i], syncs.correlation[i]);
      if (call == kNoTask) continue;
      const std::int64_t host_ns = tasks_.start_ns(call);
      const EventRecord* record = latest_record(syncs.process[i].value, syncs.event[i], host_ns);
      if (record && thread_of(record->call) != thread_of(call)) waits_.event_threads.add(call, record->call);
      const Task awaited = recorded_activity(record), waiting = index_.first_launched_after(stream_key(syncs, i), host_ns);
      if (awaited == kNoTask || waiting == kNoTask || tasks_.end_ns(awaited) > tasks_.start_ns(waiting)) continue;
      waits_.events.add(waiting, awaited);
    }
    if (any && trace_.cuda_events.size() == 0) waits_.unknown.push_back("no CUDA events recorded: what streams waited for across each other is not known");
  }

  void add_blocking(Task call, Task activity) {
    if (activity == kNoTask || tasks_.end_ns(activity) > tasks_.end_ns(call) || tasks_.end_ns(activity) <= tasks_.start_ns(call)) return;
    waits_.blocking.add(call, activity);
  }

  void add_synchronization(Task call, Task activity) {
    if (activity != kNoTask && tasks_.end_ns(activity) <= tasks_.start_ns(call)) waits_.would_block.add(call, activity);
    else add_blocking(call, activity);
  }

  bool is_launched(Task task) const { return tasks_.kind[task] == TaskKind::kernel || tasks_.kind[task] == TaskKind::graph; }

  // A short kernel may be over before a slow launch returns, without the launch waiting for it. Where most are, launches block
  // (CUDA_LAUNCH_BLOCKING).
  bool do_launches_block() const {
    std::size_t launched = 0, over = 0;
    for (Task task = 0; task < tasks_.size(); ++task) {
      if (!is_launched(task) || index_.call(task) == kNoTask) continue;
      ++launched;
      over += tasks_.end_ns(task) <= tasks_.end_ns(index_.call(task));
    }
    return 2 * over > launched;
  }

  void find_blocking_calls() {
    const trace::Synchronizations& syncs = trace_.synchronizations;
    for (std::size_t i = 0; i < syncs.size(); ++i) {
      if (syncs.kind[i] == trace::SyncKind::stream_wait_event) continue;
      const Task call = index_.call_of(syncs.process[i], syncs.correlation[i]);
      if (call == kNoTask) continue;
      const std::int64_t host_ns = tasks_.start_ns(call);
      const std::int32_t process = syncs.process[i].value;
      if (syncs.kind[i] == trace::SyncKind::stream) add_synchronization(call, index_.last_launched_before(stream_key(syncs, i), host_ns));
      if (syncs.kind[i] == trace::SyncKind::event) add_synchronization(call, recorded_activity(latest_record(process, syncs.event[i], host_ns)));
      if (syncs.kind[i] == trace::SyncKind::context)
        index_.last_of_context(process, syncs.context[i].value, host_ns, [&](Task activity) { add_synchronization(call, activity); });
    }
    const bool launches_block = do_launches_block();
    for (Task task = 0; task < tasks_.size(); ++task) {
      const bool may_block = is_activity(tasks_.kind[task]) && (launches_block || !is_launched(task));
      if (may_block && index_.call(task) != kNoTask) add_blocking(index_.call(task), task);
    }
    find_full_launch_queues(tasks_, trace_, index_, waits_.blocking);
    if (!trace_.has(trace::Table::synchronizations)) waits_.unknown.push_back("no synchronization records: what blocking calls waited for is not known");
  }

  const Trace& trace_;
  const TaskTable& tasks_;
  const StreamIndex& index_;
  std::vector<EventRecord> records_;
  RecordedWaits waits_;
};

}  // namespace

void TaskPairs::sort() {
  std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.who < b.who; });
}

RecordedWaits find_recorded_waits(const Trace& trace, const TaskTable& tasks, const StreamIndex& index) { return Finder(trace, tasks, index).find(); }

}  // namespace gputrace::analyzer
