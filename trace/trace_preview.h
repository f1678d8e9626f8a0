// A first look at a trace that takes long to read: kernels and copies from places spread over the whole file, without the rest.
#pragma once

#include <cstdint>
#include <filesystem>

#include "trace/result.h"
#include "trace/trace.h"

namespace gputrace::trace {

struct TracePreview {
  Trace trace;                // kernels and copies only, sorted; names and processes as far as they are needed
  std::int64_t rows_read = 0;
  std::int64_t rows = 0;      // of those tables, about
};

// Of a SQLite file with CUPTI_ACTIVITY_KIND_KERNEL, as ours and those of Nsight Systems: at most 20,000 kernels and 10,000
// copies, in short runs of neighbours, whatever the size of the file. Rows that no full read would keep are left out. Errors:
// another format, no such file, no kernels, and what TableCursor would say; then only the full read can show anything.
Result<TracePreview> read_preview(const std::filesystem::path& path);

}  // namespace gputrace::trace
