// Text from a file made safe for a terminal, and laid out by display columns: wide (East Asian) characters take two,
// combining ones none. All results are valid UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputrace::reports {

// Names come from files that anybody may have written. Line breaks and tabs become spaces; other control characters,
// escape sequences' starts, bidirectional overrides and invalid UTF-8 become U+FFFD.
std::string one_line(std::string_view text);

// The same, but only invalid UTF-8 changes: for formats that escape the rest themselves.
std::string valid_utf8(std::string_view text);

int display_width(std::string_view text);

// At most `width` columns: longer text is cut and ends in "…".
std::string cut_to_width(std::string_view text, int width);

enum class Align { left, right };
std::string pad_to_width(std::string_view text, int width, Align align = Align::left);

// Lines of at most `width` columns, broken at spaces; a word longer than a line is broken inside. At least one line.
std::vector<std::string> wrap(std::string_view text, int width);

}  // namespace gputrace::reports
