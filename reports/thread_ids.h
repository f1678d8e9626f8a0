// The operating system's ids of what the columns of a trace point to; 0 where not known.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace gputrace::reports {

std::int64_t pid_of(const trace::Trace& trace, trace::ProcessIndex process);
std::int64_t pid_of(const trace::Trace& trace, trace::ThreadIndex thread);
std::int64_t tid_of(const trace::Trace& trace, trace::ThreadIndex thread);

}  // namespace gputrace::reports
