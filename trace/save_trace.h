// A trace in memory as a file of gputrace's own.
#pragma once

#include <filesystem>

#include "trace/result.h"
#include "trace/trace.h"

namespace gputrace::trace {

// The file that reads back as `trace`: rows, strings, processes, GPUs, links, op placements, what was captured and what was
// wrong. Producer, schema and completeness stay those of the trace. Errors: as TraceWriter::create() and finish().
[[nodiscard]] Result<void> save_trace(const Trace& trace, const std::filesystem::path& path, bool overwrite);

}  // namespace gputrace::trace
