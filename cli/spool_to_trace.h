// Turns a spool folder into a trace and says on stderr what came of it. Shared by `record` and `recover`.
#pragma once

#include <filesystem>
#include <string>

#include "trace/result.h"

namespace gputrace::cli {

// Shows a progress line where stderr is a terminal. `missing`: what the folder does not hold, and why; "" for nothing.
Result<void> spool_to_trace(const std::filesystem::path& folder, const std::filesystem::path& trace, bool overwrite,
                            const std::string& missing = "");

}  // namespace gputrace::cli
