// Turns a spool folder into a trace and says on stderr what came of it. Shared by `record` and `recover`.
#pragma once

#include <filesystem>

#include "trace/result.h"

namespace gputrace::cli {

// Shows a progress line where stderr is a terminal.
Result<void> spool_to_trace(const std::filesystem::path& folder, const std::filesystem::path& trace, bool overwrite);

}  // namespace gputrace::cli
