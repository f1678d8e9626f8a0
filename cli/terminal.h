// What the program may draw on a file descriptor.
#pragma once

namespace gputrace::cli {

bool is_terminal(int descriptor);

// The terminal's columns; where it is none, or says nothing: COLUMNS, else 80.
int terminal_width(int descriptor);

// Colour is for terminals alone, and not where NO_COLOR is set to anything (no-color.org) or TERM is "dumb".
bool wants_color(int descriptor);

}  // namespace gputrace::cli
