// gputrace stats: tables under the names that users of `nsys stats` know.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "analyzer/name_rules.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "reports/summary_formats.h"

namespace gputrace::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string by, format = "text", output, names;
  bool force = false;
};

// What --by takes: a kind of table ("kernel") or a table's own name ("cuda_gpu_kern_sum").
std::vector<std::string> choices() {
  std::vector<std::string> names;
  for (const reports::Summary* summary : reports::summaries()) {
    if (std::find(names.begin(), names.end(), summary->by) == names.end()) names.emplace_back(summary->by);
  }
  for (const reports::Summary* summary : reports::summaries()) names.emplace_back(summary->name);
  return names;
}

std::vector<reports::MadeSummary> make_tables(const trace::Trace& trace, const std::string& by,
                                              std::vector<analyzer::NameRule> name_rules) {
  analyzer::Explainer explainer(std::move(name_rules));
  std::vector<reports::MadeSummary> made;
  for (const reports::Summary* summary : reports::summaries()) {
    const bool chosen = by.empty() ? !summary->every_event : by == summary->by || by == summary->name;
    if (chosen) made.push_back({summary, summary->make(trace, explainer)});
  }
  return made;
}

std::string render(const std::vector<reports::MadeSummary>& made, const Options& options) {
  if (options.format == "csv") return reports::summaries_as_csv(made);
  if (options.format == "json") return reports::summaries_as_json(made);
  if (!options.output.empty()) return reports::summaries_as_text(made, {});
  return reports::summaries_as_text(
      made, {.width = terminal_width(STDOUT_FILENO), .color = wants_color(STDOUT_FILENO)});
}

// A CSV of nothing would read as "no kernels ran", so a single table that was not captured is an error there.
Result<void> check_captured(const std::vector<reports::MadeSummary>& made, const Options& options) {
  for (const auto& one : made) {
    if (one.table.missing.empty() || options.format != "csv") return {};
  }
  return fail(made.front().table.missing, options.files.front(), "record with more of -t, or choose another --by");
}

Result<void> show_tables(const Options& options) {
  const bool to_file = !options.output.empty();
  if (to_file) {
    for (const std::string& file : options.files) {
      if (auto free = check_output(options.output, options.force, file); !free) return free;
    }
  }
  const auto trace = open_traces({options.files.begin(), options.files.end()});
  if (!trace) return tl::unexpected(trace.error());
  auto name_rules = analyzer::users_name_rules(options.names);
  if (!name_rules) return tl::unexpected(name_rules.error());
  const auto made = make_tables(*trace, options.by, std::move(*name_rules));
  if (auto captured = check_captured(made, options); !captured) return captured;
  const std::string text = render(made, options);
  return to_file ? write_output(options.output, options.force, text) : write_stdout(text);
}

void add(CLI::App& app, int& exit_status) {
  const auto options =
      std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("FILE", options->files,
                 "a trace of any format that gputrace reads; several files, or a folder, are one job with a process per rank")
      ->required();
  app.add_option("--by", options->by,
                 "kernel, copy, api, nvtx, op, launch, nccl, trace, or a table's name; without it all tables "
                 "that are sums")
      ->check(CLI::IsMember(choices()));
  app.add_option("--names", options->names, "your own names for kernels, as in gputrace explain --help");
  app.add_option("--format", options->format, "text, csv or json")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  app.add_option("-o,--output", options->output, "write to this file instead of the terminal");
  app.add_flag("--force", options->force, "overwrite the output file");
  app.footer(
      "Time (%) is the share of all rows, Wall (%) that of the whole trace (above 100 where rows run side by "
      "side).\n\n"
      "Examples:\n"
      "  gputrace stats trace1.sqlite\n"
      "  gputrace stats trace1.sqlite --by kernel --format csv -o kernels.csv\n"
      "  gputrace stats trace1.sqlite --by cuda_api_sum\n"
      "  gputrace stats trace1.sqlite --by cuda_gpu_trace --format csv -o events.csv   # a row per event");
  app.callback([options, &exit_status] {
    if (const auto done = show_tables(*options); !done) exit_status = report_error(done.error());
  });
}

}  // namespace

extern const Command stats{"stats", "Tables of kernels, copies, API calls, NVTX ranges and ops", add};

}  // namespace gputrace::cli
