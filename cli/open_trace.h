// Opening a trace for a command: with a progress line where stderr is a terminal, and Ctrl-C as a clean stop.
#pragma once

#include <filesystem>

#include "trace/result.h"
#include "trace/trace.h"

namespace gputrace::cli {

// While it reads, SIGINT makes the result an Error; before and after, SIGINT ends the process as usual.
[[nodiscard]] Result<trace::Trace> open_trace(const std::filesystem::path& path);

}  // namespace gputrace::cli
