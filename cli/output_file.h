// Writing a result: to stdout, or to a file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

#include "trace/result.h"

namespace gputrace::cli {

// Fails where `path` exists and `overwrite` is false, where it is the input, or its folder does not exist: before work starts.
[[nodiscard]] Result<void> check_output(const std::filesystem::path& path, bool overwrite,
                                        const std::filesystem::path& input);

// Writes beside the path and renames at the end, so that a failure or Ctrl-C leaves the old file as it was.
// Devices and pipes (/dev/stdout) are written in place.
[[nodiscard]] Result<void> write_output(const std::filesystem::path& path, bool overwrite, std::string_view content);

// To stdout, where a full disk or a closed pipe is an error too.
[[nodiscard]] Result<void> write_stdout(std::string_view content);

}  // namespace gputrace::cli
