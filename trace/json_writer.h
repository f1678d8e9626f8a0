// JSON text, piece by piece, for files too large to build as a tree.
#pragma once

#include <string>
#include <string_view>

namespace gputrace::trace {

// Appends a JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD, so that any reader takes the file.
void append_json_string(std::string& out, std::string_view text);

}  // namespace gputrace::trace
