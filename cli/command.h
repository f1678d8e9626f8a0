// A command of the program: one file each in cli/commands, named for the command; CMake lists them.
#pragma once

#include <span>

#include "trace/result.h"

namespace CLI {
class App;
}

namespace gputrace::cli {

// A file cli/commands/NAME.cpp defines `extern const Command NAME{...}` in this namespace.
struct Command {
  const char* name;     // "report"
  const char* summary;  // one line of --help
  // Declares options, footer (examples) and callback on `app`, which is the command's own subcommand: main() has made it.
  // The callback does the work and sets `exit_status`: 0 done, 1 error, 2 usage, 3 over budget; it outlives this call.
  void (*add)(CLI::App& app, int& exit_status);
};

std::span<const Command* const> all_commands();

// Prints "gputrace: <line>" on stderr, once. Returns the exit status 1.
int report_error(const Error& error);

}  // namespace gputrace::cli
