#include "reports/thread_ids.h"

namespace gputrace::reports {
namespace {

const trace::Thread* find(const trace::Trace& trace, trace::ThreadIndex thread) {
  return thread.value < 0 ? nullptr : &trace.threads[static_cast<std::size_t>(thread.value)];
}

}  // namespace

std::int64_t pid_of(const trace::Trace& trace, trace::ProcessIndex process) {
  return process.value < 0 ? 0 : trace.processes[static_cast<std::size_t>(process.value)].pid;
}

std::int64_t pid_of(const trace::Trace& trace, trace::ThreadIndex thread) {
  const trace::Thread* of = find(trace, thread);
  return of == nullptr ? 0 : pid_of(trace, of->process);
}

std::int64_t tid_of(const trace::Trace& trace, trace::ThreadIndex thread) {
  const trace::Thread* of = find(trace, thread);
  return of == nullptr ? 0 : of->tid;
}

}  // namespace gputrace::reports
