#include "cli/report_after_record.h"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "analyzer/analyze.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/terminal.h"
#include "reports/format.h"
#include "reports/plain_text.h"

namespace gputrace::cli {
namespace {

// Only commands that this build has: the viewer needs libraries that not every machine has.
std::string next_commands(const std::string& file) {
  std::string text;
  for (const std::string_view name : {"view", "stats", "report"}) {
    for (const Command* command : all_commands()) {
      if (command->name != name) continue;
      text += (text.empty() ? "next: gputrace " : "      gputrace ") + std::string(name) + " " + file + "\n";
    }
  }
  return text;
}

}  // namespace

int report_after_record(const std::filesystem::path& trace) {
  const auto read = open_trace(trace);
  if (!read) return report_error(read.error());
  const std::string text = reports::find_format("text")->render(
      analyzer::analyze(*read), {.width = terminal_width(STDERR_FILENO), .color = wants_color(STDERR_FILENO)});
  const std::string next = next_commands(reports::one_line(trace.string()));
  std::fprintf(stderr, "%s\n%s", text.c_str(), next.c_str());
  return 0;
}

}  // namespace gputrace::cli
