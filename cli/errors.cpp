#include <cstdio>

#include "cli/command.h"
#include "reports/plain_text.h"

namespace gputrace::cli {

int report_error(const Error& error) {
  // File names and messages of libraries may hold line breaks and escape sequences; an error is one line.
  const std::string line = "gputrace: " + reports::one_line(error.line()) + "\n";
  std::fputs(line.c_str(), stderr);
  return 1;
}

}  // namespace gputrace::cli
