#include "analyzer/replay/dependency_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "analyzer/launch_index.h"
#include "analyzer/replay/stream_index.h"
#include "analyzer/thresholds.h"

namespace gputrace::analyzer {
namespace {

using trace::Span;
using trace::Trace;

// A gap up to this between the end of one kernel and the start of another counts as "made room": the GPU's block scheduler
// starts the next within about a microsecond.
constexpr std::int64_t kMadeRoomNs = 5'000;
// What a launch takes to reach an idle GPU where the trace shows none that was not held up: a usual figure on PCIe.
constexpr std::int64_t kUsualLaunchNs = 3'000;

struct TaskRow {
  TaskKind kind;
  std::uint32_t row;
  Span span;
};

struct Incoming {
  Moment to;
  Edge edge;
};

StreamKey stream_key(const trace::DeviceColumns& columns, std::size_t i) {
  return {columns.process[i].value, columns.device[i].value, columns.context[i].value, columns.stream[i].value};
}

bool is_migration(trace::CopyKind kind) {
  return kind == trace::CopyKind::unified_host_to_device || kind == trace::CopyKind::unified_device_to_host ||
         kind == trace::CopyKind::unified_device_to_device;
}

class Builder {
 public:
  Builder(const Trace& trace, const Steps& steps, Span window)
      : trace_(trace), steps_(steps), window_(window), launches_(trace), call_task_(trace.api_calls.size(), kNoTask) {}

  DependencyGraph build() {
    number_tasks();
    index_activities();
    find_event_waits();
    add_barriers_and_program_order();
    add_stream_and_launch_edges();
    add_blocking_edges();
    return finish();
  }

 private:
  static constexpr Task kNoTask = UINT32_MAX;

  void collect_calls(std::vector<TaskRow>& rows) {
    const trace::ApiCalls& calls = trace_.api_calls;
    std::map<trace::ThreadIndex, std::int64_t> covered_until;
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      if (calls.end_ns[i] <= window_.start_ns || calls.start_ns[i] >= window_.end_ns) continue;
      auto [until, is_first] = covered_until.try_emplace(calls.thread[i], INT64_MIN);
      if (calls.start_ns[i] < until->second) {  // a driver call inside a runtime call: the outer one stands for both
        nested_.push_back(i);
        continue;
      }
      until->second = calls.end_ns[i];
      rows.push_back({TaskKind::call, i, calls.span(i)});
    }
  }

  void collect_activities(std::vector<TaskRow>& rows, const trace::DeviceColumns& columns, TaskKind kind) const {
    for (std::uint32_t i = 0; i < columns.size(); ++i) {
      if (kind == TaskKind::copy && is_migration(trace_.copies.kind[i])) continue;  // within a kernel or the host's work, in no stream's order
      if (columns.start_ns[i] >= window_.start_ns && columns.start_ns[i] < window_.end_ns) rows.push_back({kind, i, columns.span(i)});
    }
  }

  // Barriers stand where a step begins or ends and no call is under way: there all host threads meet. Steps that were found by the
  // period of kernels say nothing of the host.
  void collect_barriers(std::vector<TaskRow>& rows) {
    if (steps_.source != StepSource::nvtx) return;
    std::vector<std::int64_t> at;
    for (std::size_t s = steps_.warm_up; s < steps_.spans.size(); ++s) {
      if (at.empty() || at.back() != steps_.spans[s].start_ns) at.push_back(steps_.spans[s].start_ns);
      at.push_back(steps_.spans[s].end_ns);
    }
    std::vector<Span> calls;
    for (const TaskRow& row : rows) {
      if (row.kind == TaskKind::call) calls.push_back(row.span);
    }
    std::sort(calls.begin(), calls.end(), [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; });
    std::size_t crossed = 0, next = 0;
    std::int64_t running_until = INT64_MIN;
    for (std::uint32_t b = 0; b < at.size(); ++b) {
      for (; next < calls.size() && calls[next].start_ns < at[b]; ++next) running_until = std::max(running_until, calls[next].end_ns);
      if (running_until > at[b]) {
        ++crossed;
      } else {
        rows.push_back({TaskKind::barrier, b, {at[b], at[b]}});
      }
    }
    if (crossed > 0) {
      graph_.unknown.push_back("calls cross the boundary of " + std::to_string(crossed) +
                               " steps: which thread waited for which there is not recorded");
    }
  }

  void number_tasks() {
    std::vector<TaskRow> rows;
    collect_calls(rows);
    collect_barriers(rows);
    collect_activities(rows, trace_.kernels, TaskKind::kernel);
    collect_activities(rows, trace_.copies, TaskKind::copy);
    collect_activities(rows, trace_.fills, TaskKind::fill);
    // At one instant a barrier comes first: what begins there begins after it.
    std::stable_sort(rows.begin(), rows.end(), [](const TaskRow& a, const TaskRow& b) {
      return std::tuple(a.span.start_ns, a.kind != TaskKind::barrier) < std::tuple(b.span.start_ns, b.kind != TaskKind::barrier);
    });
    for (const TaskRow& row : rows) {
      const Task task = static_cast<Task>(graph_.kind.size());
      if (row.kind == TaskKind::call) call_task_[row.row] = task;
      graph_.kind.push_back(row.kind);
      graph_.row.push_back(row.row);
      graph_.recorded_ns.push_back(row.span.start_ns);
      graph_.recorded_ns.push_back(row.span.end_ns);
    }
    map_nested_calls();
  }

  void map_nested_calls() {
    std::map<trace::ThreadIndex, std::vector<std::uint32_t>> outer;
    for (std::uint32_t i = 0; i < call_task_.size(); ++i) {
      if (call_task_[i] != kNoTask) outer[trace_.api_calls.thread[i]].push_back(i);
    }
    for (const std::uint32_t i : nested_) {
      const auto& calls = outer[trace_.api_calls.thread[i]];
      const auto after = std::upper_bound(calls.begin(), calls.end(), i);
      if (after != calls.begin()) call_task_[i] = call_task_[*std::prev(after)];
    }
  }

  const trace::DeviceColumns& columns(TaskKind kind) const {
    if (kind == TaskKind::kernel) return trace_.kernels;
    if (kind == TaskKind::copy) return trace_.copies;
    return trace_.fills;
  }

  bool is_activity(Task task) const { return graph_.kind[task] != TaskKind::call && graph_.kind[task] != TaskKind::barrier; }

  std::optional<Task> call_of(trace::ProcessIndex process, trace::CorrelationId correlation) const {
    const auto row = launches_.call(process, correlation);
    if (!row || call_task_[*row] == kNoTask) return std::nullopt;
    return call_task_[*row];
  }

  void index_activities() {
    activity_.resize(graph_.task_count());
    for (Task task = 0; task < graph_.task_count(); ++task) {
      if (!is_activity(task)) continue;
      const trace::DeviceColumns& table = columns(graph_.kind[task]);
      const std::uint32_t i = graph_.row[task];
      StreamWork activity{task, table.start_ns[i], table.end_ns[i], table.start_ns[i], call_of(table.process[i], table.correlation[i])};
      if (activity.call) activity.launch_ns = recorded(start_of(*activity.call));
      activity_[task] = activity;
      index_.add(stream_key(table, i), activity);
    }
  }

  std::int64_t recorded(Moment moment) const { return graph_.recorded_ns[moment]; }
  void add_edge(Moment from, Moment to, EdgeKind kind, std::int64_t lag_ns) { incoming_.push_back({to, {from, kind, lag_ns}}); }
  void add_recorded_edge(Moment from, Moment to, EdgeKind kind) { add_edge(from, to, kind, recorded(to) - recorded(from)); }

  // Host calls of a thread follow each other; at a barrier the threads that came before it meet and leave together.
  void add_barriers_and_program_order() {
    std::map<trace::ThreadIndex, Task> last_call;
    std::optional<Task> barrier;
    std::map<trace::ThreadIndex, bool> met;  // the thread has made no call since the barrier
    std::map<trace::ThreadIndex, Task> first_call;  // since the barrier
    for (Task task = 0; task < graph_.task_count(); ++task) {
      if (graph_.kind[task] == TaskKind::call) {
        const trace::ThreadIndex thread = trace_.api_calls.thread[graph_.row[task]];
        const auto before = last_call.find(thread);
        const bool after_barrier = barrier && (before == last_call.end() || met[thread]);
        if (after_barrier) {
          add_host_edges(start_of(*barrier), task, EdgeKind::step, joined_threads(start_of(*barrier), task, first_call, last_call));
        } else if (before != last_call.end()) {
          add_host_edges(end_of(before->second), task, EdgeKind::program, joined_threads(end_of(before->second), task, first_call, last_call));
        }
        if (after_barrier || before == last_call.end()) first_call[thread] = task;
        met[thread] = false;
        last_call[thread] = task;
      } else if (graph_.kind[task] == TaskKind::barrier) {
        add_barrier(task, barrier, last_call, met);
        barrier = task;
        for (auto& [thread, has_met] : met) has_met = true;
        first_call.clear();
      }
    }
  }

  // The last calls of threads of the process that did all their work of the step, so far, while this one made no call for long
  // and then made one as soon as they were done: it waited for them. Empty where it came later, with work of its own.
  std::vector<Task> joined_threads(Moment before, Task call, const std::map<trace::ThreadIndex, Task>& first_call,
                                   const std::map<trace::ThreadIndex, Task>& last_call) const {
    std::vector<Task> joined;
    const std::int64_t from_ns = recorded(before), to_ns = recorded(start_of(call));
    if (to_ns - from_ns < static_cast<std::int64_t>(thresholds::kPauseNs)) return joined;
    const trace::ThreadIndex thread = trace_.api_calls.thread[graph_.row[call]];
    std::int64_t done_ns = from_ns;
    for (const auto& [other, first] : first_call) {
      const Task last = last_call.at(other);
      if (other == thread || process_of(other) != process_of(thread)) continue;
      if (recorded(start_of(first)) < from_ns || recorded(end_of(last)) > to_ns) continue;
      joined.push_back(last);
      done_ns = std::max(done_ns, recorded(end_of(last)));
    }
    const bool at_once = to_ns - done_ns <= std::max<std::int64_t>(static_cast<std::int64_t>(thresholds::kLaunchGapNs), (to_ns - from_ns) / 50);
    return at_once ? joined : std::vector<Task>{};
  }

  trace::ProcessIndex process_of(trace::ThreadIndex thread) const { return trace_.threads[static_cast<std::size_t>(thread.value)].process; }

  // A thread that asks a stream to wait for an event which another thread has recorded since its own last call waited for that
  // thread: an event must be recorded before it is waited for.
  void add_host_edges(Moment before, Task call, EdgeKind kind, std::vector<Task> waited_for) {
    const auto recorder = recorded_by_.find(call);
    if (recorder != recorded_by_.end() && recorded(end_of(recorder->second)) > recorded(before) &&
        recorded(end_of(recorder->second)) <= recorded(start_of(call)))
      waited_for.push_back(recorder->second);
    if (waited_for.empty()) return add_recorded_edge(before, start_of(call), kind);
    add_edge(before, start_of(call), kind, 0);
    std::int64_t done_ns = INT64_MIN;
    for (const Task other : waited_for) done_ns = std::max(done_ns, recorded(end_of(other)));
    for (const Task other : waited_for) add_edge(end_of(other), start_of(call), EdgeKind::handover, recorded(start_of(call)) - done_ns);
  }

  void add_barrier(Task task, std::optional<Task> previous, const std::map<trace::ThreadIndex, Task>& last_call,
                   const std::map<trace::ThreadIndex, bool>& met) {
    std::optional<Task> latest;
    for (const auto& [thread, call] : last_call) {
      if (met.at(thread)) continue;
      if (!latest || recorded(end_of(call)) > recorded(end_of(*latest))) latest = call;
    }
    // What passes between the last thread's end and the boundary is work after all of them, whichever is the last.
    for (const auto& [thread, call] : last_call) {
      if (!met.at(thread)) add_edge(end_of(call), start_of(task), EdgeKind::step, recorded(start_of(task)) - recorded(end_of(*latest)));
    }
    if (!latest && previous) add_recorded_edge(start_of(*previous), start_of(task), EdgeKind::step);
  }

  // The shortest time from a call to the start of what it asked for, on a stream that had nothing to do.
  std::int64_t unhindered_launch_ns() const {
    std::vector<std::int64_t> latencies;
    for (const auto& [key, activities] : index_.streams()) {
      for (std::size_t i = 1; i < activities.size(); ++i) {
        const StreamWork& activity = activities[i];
        if (activity.call && activities[i - 1].end_ns <= activity.launch_ns) latencies.push_back(activity.start_ns - activity.launch_ns);
      }
    }
    if (latencies.empty()) return kUsualLaunchNs;
    const auto low = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 20);
    std::nth_element(latencies.begin(), low, latencies.end());
    return std::max<std::int64_t>(0, *low);
  }

  void add_stream_and_launch_edges() {
    const std::int64_t launch_ns = unhindered_launch_ns();
    std::map<std::tuple<std::int32_t, int>, StreamWork> last_on_engine;
    std::map<Task, const StreamWork*> before_on_stream;
    for (const auto& [key, activities] : index_.streams()) {
      for (std::size_t i = 1; i < activities.size(); ++i) before_on_stream[activities[i].task] = &activities[i - 1];
    }
    for (Task task = 0; task < graph_.task_count(); ++task) {
      if (!is_activity(task)) continue;
      add_recorded_edge(start_of(task), end_of(task), EdgeKind::duration);
      const StreamWork& activity = activity_[task];
      std::vector<Incoming> waits;
      if (activity.call) waits.push_back({start_of(task), {start_of(*activity.call), EdgeKind::launch, launch_ns}});
      if (const auto before = before_on_stream.find(task); before != before_on_stream.end()) {
        waits.push_back({start_of(task), {end_of(before->second->task), EdgeKind::stream, 0}});
      }
      if (const auto events = event_waits_.find(task); events != event_waits_.end()) {
        for (const Task awaited : events->second) waits.push_back({start_of(task), {end_of(awaited), EdgeKind::event, 0}});
      }
      add_engine_wait(task, last_on_engine, waits);
      add_waits(task, std::move(waits));
    }
  }

  int engine(Task task) const {
    if (graph_.kind[task] == TaskKind::copy) return static_cast<int>(trace_.copies.kind[graph_.row[task]]);
    return -1;  // kernels and fills share the multiprocessors
  }

  // Copies of one direction share an engine. Kernels of other streams hold a kernel up only where it starts as one of them ends.
  void add_engine_wait(Task task, std::map<std::tuple<std::int32_t, int>, StreamWork>& last, std::vector<Incoming>& waits) const {
    const trace::DeviceColumns& table = columns(graph_.kind[task]);
    const std::tuple key{table.device[graph_.row[task]].value, engine(task)};
    const StreamWork& activity = activity_[task];
    if (const auto before = last.find(key); before != last.end() && before->second.end_ns <= activity.start_ns) {
      // What the kernel waited for anyway explains its start as well: then nothing is known of room.
      const bool explained = std::any_of(waits.begin(), waits.end(), [&](const Incoming& wait) {
        return activity.start_ns - (recorded(wait.edge.from) + wait.edge.lag_ns) <= kMadeRoomNs;
      });
      const bool made_room = !explained && activity.start_ns - before->second.end_ns <= kMadeRoomNs;
      if (engine(task) >= 0 || made_room) waits.push_back({start_of(task), {end_of(before->second.task), EdgeKind::engine, 0}});
    }
    auto& entry = last[key];
    if (activity.end_ns >= entry.end_ns) entry = activity;
  }

  // The wait that ended last decided the start, and takes the whole recorded lag; the others keep their least lag.
  void add_waits(Task task, std::vector<Incoming> waits) {
    const std::int64_t start_ns = recorded(start_of(task));
    const auto earliest = [&](const Incoming& wait) { return recorded(wait.edge.from) + wait.edge.lag_ns; };
    const auto binding = std::max_element(waits.begin(), waits.end(), [&](const auto& a, const auto& b) { return earliest(a) < earliest(b); });
    for (auto wait = waits.begin(); wait != waits.end(); ++wait) {
      const std::int64_t recorded_lag_ns = start_ns - recorded(wait->edge.from);
      wait->edge.lag_ns = wait == binding ? recorded_lag_ns : std::min(wait->edge.lag_ns, recorded_lag_ns);
      incoming_.push_back(*wait);
    }
  }

  struct Record {  // cudaEventRecord
    std::int64_t host_ns;
    StreamKey stream;
    Task call;
  };

  std::map<std::pair<std::int32_t, std::int64_t>, std::vector<Record>> event_records() const {
    std::map<std::pair<std::int32_t, std::int64_t>, std::vector<Record>> records;
    const trace::CudaEvents& events = trace_.cuda_events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto call = call_of(events.process[i], events.correlation[i]);
      if (call) records[{events.process[i].value, events.event[i]}].push_back({recorded(start_of(*call)), stream_key(events, i), *call});
    }
    for (auto& [key, list] : records) {
      std::stable_sort(list.begin(), list.end(), [](const Record& a, const Record& b) { return a.host_ns < b.host_ns; });
    }
    return records;
  }

  // The latest record of an event before a call at host_ns asked about it.
  const Record* latest_record(std::int32_t process, std::int64_t event, std::int64_t host_ns) const {
    const auto records = records_.find({process, event});
    if (records == records_.end()) return nullptr;
    const auto after = std::upper_bound(records->second.begin(), records->second.end(), host_ns,
                                        [](std::int64_t ns, const Record& record) { return ns < record.host_ns; });
    return after == records->second.begin() ? nullptr : &*std::prev(after);
  }

  // What the event stood for then.
  const StreamWork* recorded_activity(std::int32_t process, std::int64_t event, std::int64_t host_ns) const {
    const Record* record = latest_record(process, event, host_ns);
    return record ? index_.last_launched_before(record->stream, record->host_ns) : nullptr;
  }

  void find_event_waits() {
    records_ = event_records();
    const trace::Synchronizations& syncs = trace_.synchronizations;
    bool any_wait = false;
    for (std::size_t i = 0; i < syncs.size(); ++i) {
      if (syncs.kind[i] != trace::SyncKind::stream_wait_event) continue;
      any_wait = true;
      const auto call = call_of(syncs.process[i], syncs.correlation[i]);
      if (!call) continue;
      const std::int64_t host_ns = recorded(start_of(*call));
      const Record* record = latest_record(syncs.process[i].value, syncs.event[i], host_ns);
      if (record && trace_.api_calls.thread[graph_.row[record->call]] != trace_.api_calls.thread[graph_.row[*call]])
        recorded_by_[*call] = record->call;
      const StreamWork* awaited = recorded_activity(syncs.process[i].value, syncs.event[i], host_ns);
      const StreamWork* waiting = index_.first_launched_after(stream_key(syncs, i), host_ns);
      if (awaited == nullptr || waiting == nullptr || awaited->end_ns > waiting->start_ns) continue;
      event_waits_[waiting->task].push_back(awaited->task);
    }
    if (any_wait && trace_.cuda_events.size() == 0) {
      graph_.unknown.push_back("no CUDA events recorded: what streams waited for across each other is not known");
    }
  }

  std::vector<const StreamWork*> awaited(std::size_t sync, std::int64_t host_ns) const {
    const trace::Synchronizations& syncs = trace_.synchronizations;
    const std::int32_t process = syncs.process[sync].value;
    switch (syncs.kind[sync]) {
      case trace::SyncKind::stream: return {index_.last_launched_before(stream_key(syncs, sync), host_ns)};
      case trace::SyncKind::event: return {recorded_activity(process, syncs.event[sync], host_ns)};
      case trace::SyncKind::context: return index_.last_of_context(process, syncs.context[sync].value, host_ns);
      default: return {};
    }
  }

  // A call that returned after what it waited for ended: its end follows that end. What is left of its own time is its cost.
  void add_blocking_edges() {
    std::vector<std::vector<Task>> waits(graph_.task_count());
    const auto wait_for = [&](Task call, const StreamWork* activity) {
      if (activity == nullptr || activity->end_ns > recorded(end_of(call)) || activity->end_ns <= recorded(start_of(call))) return;
      waits[call].push_back(activity->task);
    };
    const trace::Synchronizations& syncs = trace_.synchronizations;
    for (std::size_t i = 0; i < syncs.size(); ++i) {
      const auto call = call_of(syncs.process[i], syncs.correlation[i]);
      if (!call || syncs.kind[i] == trace::SyncKind::stream_wait_event) continue;
      for (const StreamWork* activity : awaited(i, recorded(start_of(*call)))) wait_for(*call, activity);
    }
    for (const StreamWork& activity : activity_) {
      if (activity.call && is_activity(activity.task)) wait_for(*activity.call, &activity);
    }
    for (Task task = 0; task < graph_.task_count(); ++task) {
      if (graph_.kind[task] == TaskKind::barrier) add_edge(start_of(task), end_of(task), EdgeKind::duration, 0);
      if (graph_.kind[task] == TaskKind::call) add_call_end(task, waits[task]);
    }
    if (!trace_.has(trace::Table::synchronizations)) {
      graph_.unknown.push_back("no synchronization records: what blocking calls waited for is not known");
    }
  }

  void add_call_end(Task call, const std::vector<Task>& waits) {
    std::int64_t own_ns = recorded(end_of(call)) - recorded(start_of(call));
    for (const Task task : waits) {
      add_recorded_edge(end_of(task), end_of(call), EdgeKind::blocking);
      own_ns = std::min(own_ns, recorded(end_of(call)) - recorded(end_of(task)));
    }
    add_edge(start_of(call), end_of(call), EdgeKind::duration, own_ns);
  }

  // Calls come after activities at the same instant, since a call's end follows what it waited for.
  void order_moments() {
    graph_.order.resize(graph_.moment_count());
    std::iota(graph_.order.begin(), graph_.order.end(), Moment{0});
    std::sort(graph_.order.begin(), graph_.order.end(), [&](Moment a, Moment b) {
      return std::tuple(recorded(a), !is_activity(task_of(a)), a) < std::tuple(recorded(b), !is_activity(task_of(b)), b);
    });
  }

  DependencyGraph finish() {
    graph_.first_edge.assign(graph_.moment_count() + 1, 0);
    for (const Incoming& incoming : incoming_) ++graph_.first_edge[incoming.to + 1];
    std::partial_sum(graph_.first_edge.begin(), graph_.first_edge.end(), graph_.first_edge.begin());
    graph_.edges.resize(incoming_.size());
    std::vector<std::uint32_t> next(graph_.first_edge.begin(), graph_.first_edge.end() - 1);
    for (const Incoming& incoming : incoming_) graph_.edges[next[incoming.to]++] = incoming.edge;
    order_moments();
    return std::move(graph_);
  }

  const Trace& trace_;
  const Steps& steps_;
  Span window_;
  LaunchIndex launches_;
  std::vector<Task> call_task_;  // by row of api_calls
  std::vector<std::uint32_t> nested_;
  std::vector<StreamWork> activity_;  // by task
  StreamIndex index_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::vector<Record>> records_;
  std::map<Task, Task> recorded_by_;  // call that has a stream wait for an event -> call of another thread that recorded it
  std::map<Task, std::vector<Task>> event_waits_;  // activity -> what its stream waited for before it
  std::vector<Incoming> incoming_;
  DependencyGraph graph_;
};

}  // namespace

std::optional<Task> DependencyGraph::asked_by(Task activity) const {
  const Moment start = start_of(activity);
  for (std::uint32_t e = first_edge[start]; e < first_edge[start + 1]; ++e)
    if (edges[e].kind == EdgeKind::launch) return task_of(edges[e].from);
  return std::nullopt;
}

DependencyGraph build_dependency_graph(const Trace& trace, const Steps& steps, Span window) {
  return Builder(trace, steps, window).build();
}

}  // namespace gputrace::analyzer
