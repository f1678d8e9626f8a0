// gputrace stats: tables under the names that users of `nsys stats` know.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "analyzer/name_rules.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "reports/summary_formats.h"

namespace gputrace::cli {
namespace {

struct Options {
  std::vector<std::string> files, by;
  std::string format = "text", output, names;
  bool force = false;
};

// What --by takes: a kind of table ("kernel"), a table's own name ("cuda_gpu_kern_sum"), or its old one ("gpukernsum").
bool is_called(const reports::Summary& summary, const std::string& by) {
  return by == summary.by || by == summary.name || (by == summary.old_name && !by.empty());
}

std::vector<std::string> choices() {
  std::set<std::string> names;
  for (const reports::Summary* summary : reports::summaries()) {
    for (const char* name : {summary->by, summary->name, summary->old_name}) {
      if (*name != '\0') names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

// In the order asked for; without any, all that are no others' cut.
std::vector<const reports::Summary*> chosen_tables(const std::vector<std::string>& by) {
  std::vector<const reports::Summary*> chosen;
  for (const reports::Summary* summary : reports::summaries()) {
    if (by.empty() && !summary->on_request) chosen.push_back(summary);
  }
  for (const std::string& name : by) {
    for (const reports::Summary* summary : reports::summaries()) {
      const bool known = std::find(chosen.begin(), chosen.end(), summary) != chosen.end();
      if (is_called(*summary, name) && !known) chosen.push_back(summary);
    }
  }
  return chosen;
}

std::vector<reports::MadeSummary> make_tables(const trace::Trace& trace, const std::vector<std::string>& by,
                                              std::vector<analyzer::NameRule> name_rules) {
  analyzer::Explainer explainer(std::move(name_rules));
  std::vector<reports::MadeSummary> made;
  for (const reports::Summary* summary : chosen_tables(by)) made.push_back({summary, summary->make(trace, explainer)});
  return made;
}

std::string list_of_tables() {
  std::string list;
  for (const reports::Summary* summary : reports::summaries()) {
    list += fmt::format("  {:<24}{}{}\n", summary->name, summary->title, summary->on_request ? " (where asked for)" : "");
  }
  return list;
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
  app.add_option("--by,-r,--report", options->by,
                 "kernel, copy, api, nvtx, op, launch, nccl, trace, or tables' names with commas between them; without it "
                 "the tables that are sums")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAME[,NAME...]")
      ->check(CLI::IsMember(choices()));
  app.add_option("--names", options->names, "your own names for kernels, as in gputrace explain --help");
  app.add_option("-f,--format", options->format, "text, csv or json")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  app.add_option("-o,--output", options->output, "write to this file instead of the terminal");
  app.add_flag("--force", options->force, "overwrite the output file");
  app.footer(
      "Time (%) is the share of all rows, Wall (%) that of the whole trace (above 100 where rows run side by "
      "side).\n\n"
      "Tables, under the names and with the columns of nsys stats:\n" + list_of_tables() +
      "\nExamples:\n"
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
