#include "trace/native_threads.h"

namespace gputrace::trace {
namespace {

constexpr std::int64_t kIds = std::int64_t{1} << 24;  // what a global id has room for

bool fits(std::int64_t id) { return id >= 0 && id < kIds; }

}  // namespace

std::int64_t NativeThreads::number_of(std::int64_t pid) {
  const auto [entry, is_new] = process_numbers_.try_emplace(pid, pid);
  if (!is_new) return entry->second;
  if (!fits(pid) || registry_.has_process(global_tid_of(pid, 0))) {
    while (next_process_ < kIds && registry_.has_process(global_tid_of(next_process_, 0))) ++next_process_;
    entry->second = next_process_ < kIds ? next_process_++ : -1;
  }
  return entry->second;
}

ProcessIndex NativeThreads::process(std::int64_t pid) {
  const std::int64_t number = number_of(pid);
  if (number < 0) return ProcessIndex{-1};
  const ProcessIndex process = registry_.process(global_tid_of(number, 0));
  trace_.processes[static_cast<std::size_t>(process.value)].pid = pid;
  return process;
}

ThreadIndex NativeThreads::thread(std::int64_t pid, std::int64_t tid) {
  const Native native{pid, tid};
  if (native == last_native_ && last_thread_.value >= 0) return last_thread_;
  const auto [entry, is_new] = threads_.try_emplace(native, ThreadIndex{-1});
  if (is_new) entry->second = new_thread(pid, tid);
  last_native_ = native;
  return last_thread_ = entry->second;
}

ThreadIndex NativeThreads::new_thread(std::int64_t pid, std::int64_t tid) {
  if (process(pid).value < 0) return ThreadIndex{-1};
  const std::int64_t process_number = number_of(pid);
  std::int64_t number = tid;
  if (!fits(tid) || registry_.has_thread(global_tid_of(process_number, tid))) {
    while (next_thread_ < kIds && registry_.has_thread(global_tid_of(process_number, next_thread_))) ++next_thread_;
    number = next_thread_++;
  }
  if (number >= kIds) return ThreadIndex{-1};
  const ThreadIndex thread = registry_.thread(global_tid_of(process_number, number));
  trace_.threads[static_cast<std::size_t>(thread.value)].tid = tid;
  return thread;
}

void NativeThreads::give_names(const std::string& suffix) {
  for (Process& process : trace_.processes) {
    if (const auto name = process_names_.find(process.pid); name != process_names_.end()) process.name = name->second;
    process.name += suffix;
  }
  for (const auto& [native, thread] : threads_) {
    const auto name = thread_names_.find(native);
    if (name != thread_names_.end() && thread.value >= 0)
      trace_.threads[static_cast<std::size_t>(thread.value)].name = name->second;
  }
}

}  // namespace gputrace::trace
