#include "trace/thread_registry.h"

#include <algorithm>

namespace gputrace::trace {
namespace {

constexpr ProcessIndex kUnknown{-1};

// Ids are given one after the other, so nearly all lie in a range little longer than their number: those have a place each, and only
// what lies beyond is searched for.
class ProcessByCorrelation {
 public:
  static constexpr ProcessIndex kAbsent{-2};

  explicit ProcessByCorrelation(const std::vector<CorrelationId>& ids) {
    if (ids.empty()) return;
    const auto [lowest, highest] = std::minmax_element(ids.begin(), ids.end());
    first_ = static_cast<std::uint64_t>(lowest->value);
    const std::uint64_t range = static_cast<std::uint64_t>(highest->value) - first_;
    dense_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(range, kPlacesPerId * ids.size())) + 1, kAbsent);
  }

  ProcessIndex& operator[](CorrelationId id) {
    const std::uint64_t place = place_of(id);
    return place < dense_.size() ? dense_[place] : sparse_.try_emplace(id, kAbsent).first->second;
  }
  ProcessIndex find(CorrelationId id) const {
    const std::uint64_t place = place_of(id);
    if (place < dense_.size()) return dense_[place];
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? kAbsent : found->second;
  }

 private:
  static constexpr std::uint64_t kPlacesPerId = 4;
  std::uint64_t place_of(CorrelationId id) const { return static_cast<std::uint64_t>(id.value) - first_; }

  std::uint64_t first_ = 0;
  std::vector<ProcessIndex> dense_;
  std::unordered_map<CorrelationId, ProcessIndex> sparse_;
};

ProcessByCorrelation processes_by_correlation(const Trace& trace) {
  ProcessByCorrelation processes{trace.api_calls.correlation};
  for (std::size_t i = 0; i < trace.api_calls.size(); ++i) {
    const ThreadIndex thread = trace.api_calls.thread[i];
    if (thread.value < 0 || trace.api_calls.correlation[i].value == 0) continue;
    const ProcessIndex process = trace.threads[static_cast<std::size_t>(thread.value)].process;
    ProcessIndex& entry = processes[trace.api_calls.correlation[i]];
    entry = entry == ProcessByCorrelation::kAbsent || entry == process ? process : kUnknown;
  }
  return processes;
}

std::int64_t resolve(DeviceColumns& rows, const ProcessByCorrelation& processes) {
  std::int64_t unknown = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.process[i] != kUnknown) continue;
    const ProcessIndex found = processes.find(rows.correlation[i]);
    if (found != ProcessByCorrelation::kAbsent) rows.process[i] = found;
    unknown += rows.process[i] == kUnknown;
  }
  return unknown;
}

bool has_unknown_process(const DeviceColumns& rows) {
  return std::find(rows.process.begin(), rows.process.end(), kUnknown) != rows.process.end();
}

}  // namespace

ProcessIndex ThreadRegistry::process(std::uint64_t global_pid) {
  if (global_pid == last_process_ && last_process_index_ != kUnknown) return last_process_index_;
  const ProcessIndex next{static_cast<std::int32_t>(trace_.processes.size())};
  const auto [entry, is_new] = processes_.try_emplace(global_pid, next);
  if (is_new) trace_.processes.push_back({.global_pid = global_pid, .pid = pid_of(global_pid), .name = {}});
  last_process_ = global_pid;
  return last_process_index_ = entry->second;
}

ThreadIndex ThreadRegistry::thread(std::uint64_t global_tid) {
  if (global_tid == last_thread_ && last_thread_index_.value >= 0) return last_thread_index_;
  const ThreadIndex next{static_cast<std::int32_t>(trace_.threads.size())};
  const auto [entry, is_new] = threads_.try_emplace(global_tid, next);
  if (is_new) {
    const ProcessIndex owner = process(process_of_thread(global_tid));
    trace_.threads.push_back(
        {.global_tid = global_tid, .process = owner, .tid = tid_of(global_tid), .name = {}});
  }
  last_thread_ = global_tid;
  return last_thread_index_ = entry->second;
}

void resolve_processes_by_correlation(Trace& trace) {
  DeviceColumns* const tables[] = {&trace.kernels,          &trace.copies,      &trace.fills,
                                   &trace.synchronizations, &trace.cuda_events, &trace.graph_launches};
  if (std::none_of(std::begin(tables), std::end(tables),
                   [](auto* rows) { return has_unknown_process(*rows); }))
    return;
  const ProcessByCorrelation processes = processes_by_correlation(trace);
  std::int64_t unknown = 0;
  for (DeviceColumns* rows : tables) unknown += resolve(*rows, processes);
  if (unknown > 0) trace.diagnostics.push_back({"device rows of an unknown process", unknown});
}

}  // namespace gputrace::trace
