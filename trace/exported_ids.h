// Process and thread numbers for formats that know no others: those of the trace, where they are free. Viewers take a thread
// number for one thread, so each has its own whatever its process. GPUs of a process stand beside it as "processes" of their own.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace gputrace::trace {

// What an export says of a trace that is incomplete must come back with a reason, whoever changed the file meanwhile.
inline constexpr const char* kIncompleteWithoutReason = "the trace that was exported was incomplete, and the file does not say why";

class ExportedIds {
 public:
  explicit ExportedIds(const Trace& trace);

  // 0: unknown.
  std::int64_t pid(ProcessIndex process) const { return process.value < 0 ? 0 : pids_[static_cast<std::size_t>(process.value)]; }
  std::int64_t tid(ThreadIndex thread) const { return thread.value < 0 ? 0 : tids_[static_cast<std::size_t>(thread.value)]; }
  std::int64_t pid_of(ThreadIndex thread) const {
    return thread.value < 0 ? 0 : pid(trace_.threads[static_cast<std::size_t>(thread.value)].process);
  }

 private:
  const Trace& trace_;
  std::vector<std::int64_t> pids_, tids_;
};

}  // namespace gputrace::trace
