// Runs a program as if it were run directly: same terminal, same signals, same exit status.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/result.h"

namespace gputrace::cli {

struct Launch {
  std::string path;                    // as find_program gave it
  std::vector<std::string> arguments;  // with the program's own name first
  std::vector<std::pair<std::string, std::string>> environment;  // on top of ours
  int own_signal = 0;                       // does not go on to the program; on_own_signal() runs in a signal handler
  void (*on_own_signal)() noexcept = nullptr;
};

// The file that the shell would run. Fails where there is none, or it may not be executed.
Result<std::string> find_program(const std::string& name);

// Waits for its end. Signals sent to this process alone go on to the program; what the terminal sends reaches it
// anyway. The exit status, or 128 + the number of the signal that ended it. Fails only where the program could not be
// started.
Result<int> run_to_end(const Launch& launch);

}  // namespace gputrace::cli
