// Gives processes and threads of a trace their index, from the global ids that Nsight Systems packs.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "trace/trace.h"

namespace gputrace::trace {

constexpr std::uint64_t process_of_thread(std::uint64_t global_tid) {
  return global_tid & ~std::uint64_t{0xFFFFFF};
}
constexpr std::int64_t pid_of(std::uint64_t global_id) {
  return static_cast<std::int64_t>(global_id >> 24 & 0xFFFFFF);
}
constexpr std::int64_t tid_of(std::uint64_t global_tid) {
  return static_cast<std::int64_t>(global_tid & 0xFFFFFF);
}
constexpr std::uint64_t global_tid_of(std::int64_t pid, std::int64_t tid) {
  return (static_cast<std::uint64_t>(pid) & 0xFFFFFF) << 24 | (static_cast<std::uint64_t>(tid) & 0xFFFFFF);
}

class ThreadRegistry {
 public:
  explicit ThreadRegistry(Trace& trace) : trace_(trace) {}

  ProcessIndex process(std::uint64_t global_pid);
  ThreadIndex thread(std::uint64_t global_tid);
  bool has_process(std::uint64_t global_pid) const { return processes_.contains(global_pid); }
  bool has_thread(std::uint64_t global_tid) const { return threads_.contains(global_tid); }

 private:
  Trace& trace_;
  std::unordered_map<std::uint64_t, ProcessIndex> processes_;
  std::unordered_map<std::uint64_t, ThreadIndex> threads_;
  // Rows of one thread come in long runs.
  std::uint64_t last_process_ = 0, last_thread_ = 0;  // meaningful where the index is not -1
  ProcessIndex last_process_index_{-1};
  ThreadIndex last_thread_index_{-1};
};

// Device rows without a process take the one whose API call has their correlation id, unless two processes
// have such a call. Counts the rows that stay unknown in `diagnostics`.
void resolve_processes_by_correlation(Trace& trace);

}  // namespace gputrace::trace
