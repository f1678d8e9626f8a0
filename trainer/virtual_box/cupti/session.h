// The one profiling session of a process.
#pragma once

#include <mutex>

#include "trainer/virtual_box/cupti/record_sink.h"

namespace trainer::virtual_box {

struct Session {
  RecordBuffers buffers;
  RecordSink sink{buffers};
  std::mutex clock_lock;
  const MachineClock* clock = nullptr;  // under clock_lock
  std::int64_t last_ns = 0;             // of the clock that has gone; under clock_lock
  std::atomic<bool> subscribed{false};
};

// Never destroyed: a profiler calls from its atexit handlers and threads.
Session& session();

}  // namespace trainer::virtual_box
