// Runs a program as a child and keeps what it said.
#pragma once

#include <string>
#include <vector>

namespace gputrace::tests {

struct ChildResult {
  int exit_status = -1;  // 128 + signal where a signal ended it
  std::string out, err;
};

struct ChildOptions {
  std::vector<std::string> environment;  // "NAME=VALUE", added to ours
  int terminal_columns = 0;              // above 0: stdout and stderr are one terminal of that width; all text is in `out`
};

// arguments[0] is the program. stdin is /dev/null.
ChildResult run_child(const std::vector<std::string>& arguments, const ChildOptions& options = {});

// The gputrace that this build made.
std::string gputrace_program();

}  // namespace gputrace::tests
