// Compares text with a file in tests/golden. GPUTRACE_UPDATE_GOLDEN=1 rewrites the file instead.
#pragma once

#include <string>
#include <string_view>

namespace gputrace::tests {

// "" where equal, else the first differing line of both; the file is written where the variable is set.
std::string differs_from_golden(std::string_view file_name, std::string_view text);

}  // namespace gputrace::tests
