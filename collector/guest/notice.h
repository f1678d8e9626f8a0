// A word to whoever started the recording, from a process that could not create its spool.
#pragma once

#include <string>

namespace gputrace::guest {

// To the abstract socket that `record` has named, since the spool's folder may be out of this process's reach. Never waits.
// `error`: errno.
void give_notice(const std::string& socket_name, int error) noexcept;

}  // namespace gputrace::guest
