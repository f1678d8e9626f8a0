// gputrace report: what holds a recorded run back.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/analyze.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "cli/threshold_file.h"
#include "reports/format.h"
#include "reports/threshold_table.h"

namespace gputrace::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format, output, names, thresholds;
  int width = 0;  // 0: the terminal's
  bool force = false, explain_thresholds = false, whole_trace = false;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const reports::Format* format : reports::formats()) names.emplace_back(format->name);
  return names;
}

// The format asked for, else the one that the output's name ends in, else text.
const reports::Format& chosen_format(const Options& options) {
  if (const auto* format = reports::find_format(options.format)) return *format;
  const std::string extension = std::filesystem::path(options.output).extension().string();
  for (const reports::Format* format : reports::formats()) {
    if (extension == std::string(".") + format->file_extension) return *format;
  }
  return *reports::find_format("text");
}

reports::FormatOptions drawing_for(const Options& options) {
  if (options.width > 0)
    return {.width = options.width, .color = options.output.empty() && wants_color(STDOUT_FILENO)};
  if (!options.output.empty()) return {};
  return {.width = terminal_width(STDOUT_FILENO), .color = wants_color(STDOUT_FILENO)};
}

Result<void> report_on(const Options& options) {
  const bool to_file = !options.output.empty();
  if (to_file) {
    for (const std::string& file : options.files) {
      if (auto free = check_output(options.output, options.force, file); !free) return free;
    }
  }
  const auto thresholds = read_thresholds(options.thresholds);
  if (!thresholds) return tl::unexpected(thresholds.error());
  const auto name_rules = analyzer::users_name_rules(options.names);
  if (!name_rules) return tl::unexpected(name_rules.error());
  const auto trace = open_traces({options.files.begin(), options.files.end()});
  if (!trace) return tl::unexpected(trace.error());
  const auto scope = options.whole_trace ? analyzer::Scope::whole : analyzer::Scope::loop;
  const std::string text = chosen_format(options).render(analyzer::analyze(*trace, *name_rules, *thresholds, scope), drawing_for(options));
  return to_file ? write_output(options.output, options.force, text) : write_stdout(text);
}

Result<void> show_thresholds(const Options& options) {
  const auto thresholds = read_thresholds(options.thresholds);
  if (!thresholds) return tl::unexpected(thresholds.error());
  const std::string text = reports::thresholds_as_text(drawing_for(options), *thresholds);
  if (options.output.empty()) return write_stdout(text);
  return write_output(options.output, options.force, text);
}

void add(CLI::App& app, int& exit_status) {
  const auto options =
      std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  CLI::Option_group& subject = *app.add_option_group("Subject", "a trace, or what its findings depend on");
  subject.add_option("FILE", options->files,
                     "a trace of any format that gputrace reads; several files, or a folder, are one job with a process per rank");
  subject.add_flag("--explain-thresholds", options->explain_thresholds,
                   "print every limit that findings depend on, and why, instead of a report");
  subject.require_option(1);
  app.add_option("--names", options->names, "your own names for kernels, as in gputrace explain --help");
  app.add_flag("--whole-trace", options->whole_trace, "figures of all that ran on the GPUs, start-up and warm-up included, instead of the training loop");
  app.add_option("--thresholds", options->thresholds, "a TOML file with other values for limits, NAME = NUMBER a line (--explain-thresholds lists them)");
  app.add_option("--format", options->format, "text (the default), json, ...; else as -o ends")
      ->check(CLI::IsMember(format_names()));
  app.add_option("-o,--output", options->output, "write to this file instead of the terminal");
  app.add_flag("--force", options->force, "overwrite the output file");
  app.add_option("--width", options->width,
                 "columns of text (the default: the terminal's, else COLUMNS, else 80)")
      ->check(CLI::Range(40, 1000));
  app.footer(
      "Examples:\n"
      "  gputrace report trace1.sqlite\n"
      "  gputrace report trace1.sqlite --format json -o report.json\n"
      "  gputrace report trace1.sqlite --width 120 | less");
  app.callback([options, &exit_status] {
    const auto done = options->explain_thresholds ? show_thresholds(*options) : report_on(*options);
    if (!done) exit_status = report_error(done.error());
  });
}

}  // namespace

extern const Command report{"report", "Say what holds a recorded run back, and what to do about it", add};

}  // namespace gputrace::cli
