// gputrace diff: what changed between two traces of one program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "analyzer/diff/trace_diff.h"
#include "analyzer/name_rules.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "reports/diff_formats.h"

namespace gputrace::cli {
namespace {

struct Options {
  std::string before, after, format, output, names;
  bool force = false;
};

// The format asked for, else the one that the output's name ends in, else text.
std::string chosen_format(const Options& options) {
  if (!options.format.empty()) return options.format;
  const std::string extension = std::filesystem::path(options.output).extension().string();
  for (const auto& [ending, format] : {std::pair{".json", "json"}, std::pair{".md", "markdown"}, std::pair{".html", "html"}}) {
    if (extension == ending) return format;
  }
  return "text";
}

std::string render(const analyzer::TraceDiff& diff, const Options& options) {
  const std::string format = chosen_format(options);
  if (format == "json") return reports::diff_as_json(diff);
  if (format == "markdown") return reports::diff_as_markdown(diff);
  if (format == "html") return reports::diff_as_html(diff);
  if (!options.output.empty()) return reports::diff_as_text(diff, {});
  return reports::diff_as_text(diff,
                               {.width = terminal_width(STDOUT_FILENO), .color = wants_color(STDOUT_FILENO)});
}

Result<void> show_diff(const Options& options) {
  const bool to_file = !options.output.empty();
  if (to_file) {
    for (const std::string& input : {options.before, options.after}) {
      if (auto free = check_output(options.output, options.force, input); !free) return free;
    }
  }
  const auto before = open_trace(options.before);
  if (!before) return tl::unexpected(before.error());
  const auto after = open_trace(options.after);
  if (!after) return tl::unexpected(after.error());
  const auto name_rules = analyzer::users_name_rules(options.names);
  if (!name_rules) return tl::unexpected(name_rules.error());
  const std::string text = render(analyzer::diff_traces(*before, *after, *name_rules), options);
  return to_file ? write_output(options.output, options.force, text) : write_stdout(text);
}

void add(CLI::App& app, int& exit_status) {
  const auto options =
      std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("BEFORE", options->before, "the trace to compare with")->required();
  app.add_option("AFTER", options->after, "the trace to judge")->required();
  app.add_option("--names", options->names, "your own names for kernels, as in gputrace explain --help");
  app.add_option("--format", options->format, "text (the default), markdown, html or json; else as -o ends")
      ->check(CLI::IsMember({"text", "markdown", "html", "json"}));
  app.add_option("-o,--output", options->output, "write to this file instead of the terminal");
  app.add_flag("--force", options->force, "overwrite the output file");
  app.footer(
      "Steps are compared where both traces have them, by NVTX ranges or by the period of the kernels.\n\n"
      "Examples:\n"
      "  gputrace diff before.sqlite after.sqlite\n"
      "  gputrace diff before.sqlite after.sqlite -o diff.html\n"
      "  gputrace diff before.sqlite after.sqlite --format markdown >> \"$GITHUB_STEP_SUMMARY\"");
  app.callback([options, &exit_status] {
    if (const auto done = show_diff(*options); !done) exit_status = report_error(done.error());
  });
}

}  // namespace

extern const Command diff{"diff", "Say what changed between two traces, and how sure that is", add};

}  // namespace gputrace::cli
