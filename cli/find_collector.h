// Where the recorder's guest library lies.
#pragma once

#include <filesystem>

#include "trace/result.h"

namespace gputrace::cli {

// Beside this program (../lib and its likes): in the build tree and where it is installed.
Result<std::filesystem::path> find_collector();

}  // namespace gputrace::cli
