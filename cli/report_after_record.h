// What `gputrace record` says when a recording has ended.
#pragma once

#include <filesystem>

namespace gputrace::cli {

// Diagnoses the trace and prints the short summary on stderr, since stdout is the recorded program's own: the full
// report is `gputrace report`. Returns the exit status: 0, or 1 after printing why the trace cannot be read.
int report_after_record(const std::filesystem::path& trace);

}  // namespace gputrace::cli
