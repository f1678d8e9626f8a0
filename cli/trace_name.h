// The name of a trace to be written.
#pragma once

#include <filesystem>
#include <string>

#include "trace/result.h"

namespace gputrace::cli {

// Expands %h host, %p this process, %q{VAR} an environment variable, %n the first number from 1 whose file does not
// exist, and
// %% a percent sign. ".sqlite" is added to a name without an extension.
Result<std::filesystem::path> expand_trace_name(const std::string& pattern);

// A new folder beside `trace` for its spools, or why none can be made there, or that `trace` exists and must not be
// replaced.
Result<std::filesystem::path> make_spool_folder(const std::filesystem::path& trace, bool overwrite);

// "trace1.sqlite" of the spool folder "trace1.sqlite.spool-a8Xk2c"; "" of another.
std::filesystem::path trace_of_spool_folder(const std::filesystem::path& folder);

}  // namespace gputrace::cli
