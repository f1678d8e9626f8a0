#include "analyzer/replay/device_order.h"

#include <algorithm>

namespace gputrace::analyzer {
namespace {

// A gap up to this between the end of one kernel and the start of another counts as "made room": the GPU's block scheduler
// starts the next within about a microsecond.
constexpr std::int64_t kMadeRoomNs = 5'000;
// What a launch takes to reach an idle GPU where the trace shows none that was not held up: a usual figure on PCIe.
constexpr std::int64_t kUsualLaunchNs = 3'000;

// The shortest time from a call to the start of what it asked for, on a stream that had nothing to do; of one in twenty shorter.
std::int64_t unhindered_launch_ns(const TaskTable& tasks, const StreamIndex& index) {
  std::vector<std::int64_t> latencies;
  for (const std::vector<Task>& stream : index.streams()) {
    for (std::size_t i = 1; i < stream.size(); ++i) {
      if (index.call(stream[i]) == kNoTask) continue;
      const std::int64_t asked_ns = index.launch_ns(stream[i]);
      if (tasks.end_ns(stream[i - 1]) <= asked_ns) latencies.push_back(tasks.start_ns(stream[i]) - asked_ns);
    }
  }
  if (latencies.empty()) return kUsualLaunchNs;
  const auto low = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 20);
  std::nth_element(latencies.begin(), low, latencies.end());
  return std::max<std::int64_t>(0, *low);
}

}  // namespace

DeviceOrder::DeviceOrder(const trace::Trace& trace, const TaskTable& tasks, const StreamIndex& index, const std::vector<Collective>& collectives,
                         RecordedWaits& waits)
    : trace_(trace), tasks_(tasks), index_(index), collectives_(collectives), event_waits_(waits.events),
      default_stream_waits_(waits.default_stream), launch_ns_(unhindered_launch_ns(tasks, index)),
      before_on_stream_(tasks.size(), kNoTask) {
  for (const std::vector<Task>& stream : index.streams())
    for (std::size_t i = 1; i < stream.size(); ++i) before_on_stream_[stream[i]] = stream[i - 1];
  if (collectives.empty()) return;
  of_kernel_.assign(trace.kernels.size(), kNoTask);
  for (Task task = 0; task < tasks.size(); ++task)
    if (tasks.kind[task] == TaskKind::kernel) of_kernel_[tasks.row[task]] = task;
  meeting_of_.assign(tasks.size(), kNoTask);
  for (Task task = 0; task < tasks.size(); ++task) {
    if (tasks.kind[task] != TaskKind::meeting) continue;
    for (const std::uint32_t row : collectives[tasks.row[task]].kernels) meeting_of_[of_kernel_[row]] = task;
  }
}

void DeviceOrder::write_start(Task task, EdgeWriter& edges) {
  waits_.clear();
  if (index_.call(task) != kNoTask) waits_.push_back({start_of(index_.call(task)), EdgeKind::launch, launch_ns_});
  if (before_on_stream_[task] != kNoTask) waits_.push_back({end_of(before_on_stream_[task]), EdgeKind::stream, 0});
  event_waits_.visit_next(task, [&](Task awaited) { waits_.push_back({end_of(awaited), EdgeKind::event, 0}); });
  default_stream_waits_.visit_next(task, [&](Task before) { waits_.push_back({end_of(before), EdgeKind::default_stream, 0}); });
  add_engine_wait(task);
  write_waits(task, edges);
}

int DeviceOrder::engine(Task task) const {
  if (tasks_.kind[task] == TaskKind::copy) return static_cast<int>(trace_.copies.kind[tasks_.row[task]]);
  return -1;  // kernels and fills share the multiprocessors
}

// Copies of one direction share an engine. Kernels of other streams hold a kernel up only where it starts as one of them ends.
void DeviceOrder::add_engine_wait(Task task) {
  const trace::DeviceColumns& table = columns_of(trace_, tasks_.kind[task]);
  const auto [last, is_first] = last_on_engine_.try_emplace({table.device[tasks_.row[task]].value, engine(task)}, task);
  if (is_first) return;
  const Task before = last->second;
  const std::int64_t start_ns = tasks_.start_ns(task);
  if (tasks_.end_ns(before) <= start_ns) {
    // What the kernel waited for anyway explains its start as well: then nothing is known of room.
    const bool explained = std::any_of(waits_.begin(), waits_.end(), [&](const Edge& wait) { return start_ns - earliest_ns(wait) <= kMadeRoomNs; });
    const bool made_room = !explained && start_ns - tasks_.end_ns(before) <= kMadeRoomNs;
    if (engine(task) >= 0 || made_room) waits_.push_back({end_of(before), EdgeKind::engine, 0});
  }
  if (tasks_.end_ns(task) >= tasks_.end_ns(before)) last->second = task;
}

// The wait that ended last decided the start, and takes the whole recorded lag; the others keep their least lag.
void DeviceOrder::write_waits(Task task, EdgeWriter& edges) {
  const std::int64_t start_ns = tasks_.start_ns(task);
  const auto binding = std::max_element(waits_.begin(), waits_.end(), [&](const Edge& a, const Edge& b) { return earliest_ns(a) < earliest_ns(b); });
  for (auto wait = waits_.begin(); wait != waits_.end(); ++wait) {
    const std::int64_t recorded_lag_ns = start_ns - tasks_.recorded_ns[wait->from];
    edges.add(wait->from, wait->kind, wait == binding ? recorded_lag_ns : std::min(wait->lag_ns, recorded_lag_ns));
  }
}

void DeviceOrder::write_end(Task task, EdgeWriter& edges) const {
  const Task meeting = meeting_of_.empty() ? kNoTask : meeting_of_[task];
  if (meeting == kNoTask) return edges.add_recorded(start_of(task), EdgeKind::duration);
  const std::int64_t transfer_ns = tasks_.end_ns(task) - tasks_.end_ns(meeting);
  edges.add(start_of(task), EdgeKind::duration, transfer_ns);
  edges.add(end_of(meeting), EdgeKind::collective, transfer_ns);
}

void DeviceOrder::write_meeting(Task meeting, EdgeWriter& edges) const {
  for (const std::uint32_t row : collectives_[tasks_.row[meeting]].kernels) edges.add(start_of(of_kernel_[row]), EdgeKind::collective, 0);
}

}  // namespace gputrace::analyzer
