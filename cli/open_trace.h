// Opening a trace for a command: with a progress line where stderr is a terminal, and Ctrl-C as a clean stop.
#pragma once

#include <filesystem>
#include <vector>

#include "trace/result.h"
#include "trace/trace.h"

namespace gputrace::cli {

// While it reads, SIGINT makes the result an Error; before and after, SIGINT ends the process as usual.
// A folder is one job: its traces are put together as open_traces() does.
[[nodiscard]] Result<trace::Trace> open_trace(const std::filesystem::path& path);

// Several files, or folders of them, of one job: a process per rank, clocks aligned (trace/merge_traces.h).
[[nodiscard]] Result<trace::Trace> open_traces(const std::vector<std::filesystem::path>& paths);

}  // namespace gputrace::cli
