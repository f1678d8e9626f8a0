// Processes and threads of formats that name them by whatever number the operating system, or the tool, gave: numbers that
// a global id has no room for (half a pthread_t, a row of a viewer) get a free one, and keep their own as pid and tid.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "trace/thread_registry.h"
#include "trace/trace.h"

namespace gputrace::trace {

class NativeThreads {
 public:
  explicit NativeThreads(Trace& trace) : trace_(trace), registry_(trace) {}

  ProcessIndex process(std::int64_t pid);
  ThreadIndex thread(std::int64_t pid, std::int64_t tid);

  // Names may come before, between and after the events; give_names() brings both together. `suffix` goes to every process.
  void name_process(std::int64_t pid, std::string name) { process_names_[pid] = std::move(name); }
  void name_thread(std::int64_t pid, std::int64_t tid, std::string name) { thread_names_[{pid, tid}] = std::move(name); }
  void give_names(const std::string& suffix = {});

 private:
  using Native = std::pair<std::int64_t, std::int64_t>;
  std::int64_t number_of(std::int64_t pid);
  ThreadIndex new_thread(std::int64_t pid, std::int64_t tid);

  Trace& trace_;
  ThreadRegistry registry_;
  std::map<std::int64_t, std::int64_t> process_numbers_;
  std::map<Native, ThreadIndex> threads_;
  std::map<std::int64_t, std::string> process_names_;
  std::map<Native, std::string> thread_names_;
  Native last_native_{};  // rows of one thread come in long runs
  ThreadIndex last_thread_{-1};
  std::int64_t next_process_ = 1, next_thread_ = 1;
};

}  // namespace gputrace::trace
