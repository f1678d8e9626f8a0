// Threads of ours in the host's process.
#pragma once

namespace gputrace::guest {

// Detached. It never takes a signal of the host's, and its stack does not depend on the host's limits. `name`: at most 15
// characters. False where the system gives none.
bool start_thread(void* (*body)(void*), void* argument, const char* name) noexcept;

}  // namespace gputrace::guest
