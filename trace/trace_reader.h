// Opens a trace file: ours, or a Nsight Systems SQLite export of schema 2.9 or newer. Sniffed by content, never by name.
#pragma once

#include <filesystem>
#include <functional>

#include "trace/result.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct ReadOptions {
  // Called now and then with the share done, 0 to 1; return false to stop (the result is then an Error "interrupted").
  std::function<bool(double)> progress;
};

// The file is opened read-only and never changed, nor is a journal made beside it. Absent tables and columns are
// "not captured". Errors: no such file, not SQLite, truncated, a schema that is not a trace; each says the next step.
Result<Trace> read_trace(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace gputrace::trace
