#include "trace/thread_registry.h"

#include <algorithm>

namespace gputrace::trace {
namespace {

constexpr ProcessIndex kUnknown{-1};

using ProcessByCorrelation = std::unordered_map<CorrelationId, ProcessIndex>;

ProcessByCorrelation processes_by_correlation(const Trace& trace) {
  ProcessByCorrelation processes;
  for (std::size_t i = 0; i < trace.api_calls.size(); ++i) {
    const ThreadIndex thread = trace.api_calls.thread[i];
    if (thread.value < 0 || trace.api_calls.correlation[i].value == 0) continue;
    const ProcessIndex process = trace.threads[static_cast<std::size_t>(thread.value)].process;
    const auto [entry, is_new] = processes.try_emplace(trace.api_calls.correlation[i], process);
    if (!is_new && entry->second != process) entry->second = kUnknown;
  }
  return processes;
}

std::int64_t resolve(DeviceColumns& rows, const ProcessByCorrelation& processes) {
  std::int64_t unknown = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.process[i] != kUnknown) continue;
    const auto found = processes.find(rows.correlation[i]);
    if (found != processes.end()) rows.process[i] = found->second;
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
