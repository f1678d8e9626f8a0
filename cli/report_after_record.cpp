#include "cli/report_after_record.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "analyzer/analyze.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/terminal.h"
#include "reports/short_summary.h"

namespace gputrace::cli {

int report_after_record(const std::filesystem::path& trace) {
  const auto read = open_trace(trace);
  if (!read) return report_error(read.error());
  const auto name_rules = analyzer::users_name_rules({});
  if (!name_rules) return report_error(name_rules.error());
  const std::string text =
      reports::short_summary(analyzer::analyze(*read, *name_rules), "gputrace report " + trace.string(),
                             {.width = terminal_width(STDERR_FILENO), .color = wants_color(STDERR_FILENO)});
  std::fputs(text.c_str(), stderr);
  return 0;
}

}  // namespace gputrace::cli
