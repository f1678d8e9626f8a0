// gputrace whatif: the step time after a change, by replay.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analyzer/gain.h"
#include "analyzer/metrics.h"
#include "analyzer/predicted_trace.h"
#include "analyzer/what_if.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "trace/save_trace.h"

namespace gputrace::cli {
namespace {

constexpr std::size_t kShownLimits = 4;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> remedies, scalings, removals, overlaps;
  std::string output;
  bool list = false, force = false;
};

std::string limits_text(const std::vector<analyzer::PathShare>& limits) {
  std::string text;
  for (std::size_t i = 0; i < limits.size() && i < kShownLimits; ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", limits[i].what, analyzer::percent(limits[i].share));
  return text;
}

std::string render(const trace::Trace& trace, const analyzer::Prediction& prediction) {
  std::string text;
  if (trace.metadata.simulated) text += fmt::format("simulated: times are modelled (machine {})\n", trace.metadata.machine);
  for (const auto& applied : prediction.applied) text += fmt::format("changed       {}\n", applied.what);
  text += fmt::format("step          {} recorded, {} predicted ({:.2f}x)\n", analyzer::milliseconds(prediction.step_ns),
                      analyzer::milliseconds(prediction.predicted_step_ns), prediction.speedup());
  text += fmt::format("replay error  {} (with typical instead of recorded delays on the GPU)\n", analyzer::percent(prediction.replay_error));
  text += fmt::format("limits now    {}\n", limits_text(prediction.limits_now));
  text += fmt::format("limits then   {}\n", limits_text(prediction.limits_then));
  for (const std::string& unknown : prediction.unknown) text += fmt::format("not known     {}\n", unknown);
  return text;
}

std::string list_text() {
  std::string text;
  for (const analyzer::Remedy* remedy : analyzer::all_remedies()) text += fmt::format("{:<28}{}\n", remedy->name, remedy->does);
  return text;
}

// "syncs" and "sync" are the change remove-syncs; nullptr: none of that name.
const analyzer::Remedy* find_removal(const std::string& what) {
  const analyzer::Remedy* remedy = analyzer::find_remedy("remove-" + what);
  return remedy ? remedy : analyzer::find_remedy("remove-" + what + "s");
}

const analyzer::Remedy* find_overlap(const std::string& what) {
  if (what == "update") return analyzer::find_remedy("overlap-update");
  if (what == "input" || what == "communication") return analyzer::find_remedy("hide-" + what);
  return nullptr;
}

std::string in_words(const std::vector<const analyzer::Remedy*>& remedies, const std::vector<analyzer::Scaling>& scalings) {
  std::string text;
  const auto add = [&](const std::string& change) { text += (text.empty() ? "" : ", ") + change; };
  for (const analyzer::Remedy* remedy : remedies) add(remedy->name);
  for (const analyzer::Scaling& scaling : scalings) add(scaling.left_out ? "without " + scaling.what : fmt::format("{} x {:g}", scaling.what, scaling.factor));
  return text.empty() ? "no change" : text;
}

Result<void> what_if(const Options& options) {
  if (options.list) return write_stdout(list_text());
  if (options.files.empty()) return fail("no trace given", "whatif", "give a file, or --list for the changes");
  std::vector<const analyzer::Remedy*> remedies;
  for (const std::string& name : options.remedies) {
    remedies.push_back(analyzer::find_remedy(name));
    if (remedies.back() == nullptr) return fail("no change of that name", "--do " + name, "gputrace whatif --list shows them");
  }
  for (const std::string& what : options.overlaps) {
    const analyzer::Remedy* remedy = find_overlap(what);
    if (remedy == nullptr) return fail("cannot be overlapped with other work by name", "--overlap " + what, "it is one of update, input, communication");
    remedies.push_back(remedy);
  }
  std::vector<analyzer::Scaling> scalings;
  for (const std::string& text : options.scalings) {
    const auto scaling = analyzer::parse_scaling(text);
    if (!scaling) return fail(scaling.error(), "", "gputrace whatif --help");
    scalings.push_back(*scaling);
  }
  for (const std::string& what : options.removals) {
    if (const analyzer::Remedy* remedy = find_removal(what)) {
      remedies.push_back(remedy);
      continue;
    }
    const auto removal = analyzer::parse_removal(what);
    if (!removal) return fail(removal.error(), "", "gputrace whatif --help");
    scalings.push_back(*removal);
  }
  if (!options.output.empty()) {
    for (const std::string& file : options.files) {
      if (auto free = check_output(options.output, options.force, file); !free) return free;
    }
  }
  auto trace = open_traces({options.files.begin(), options.files.end()});
  if (!trace) return tl::unexpected(trace.error());
  const analyzer::Metrics metrics = analyzer::measure(*trace);
  const analyzer::WhatIf model(*trace, metrics);
  if (!model.possible()) return fail("holds nothing to replay: API calls and kernels, copies or CUDA graphs are needed", options.files.front(), "record it anew");
  if (auto shown = write_stdout(render(*trace, model.predict(remedies, scalings))); !shown || options.output.empty()) return shown;
  const analyzer::ChangedGraph changed = model.change(remedies, scalings);
  const trace::Trace predicted = analyzer::predicted_trace(std::move(*trace), changed, "predicted: " + in_words(remedies, scalings));
  if (auto saved = trace::save_trace(predicted, options.output, options.force); !saved) return saved;
  return write_stdout(fmt::format("written       {}\n", options.output));
}

void add(CLI::App& app, int& exit_status) {
  const auto options = std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("FILE", options->files, "a trace of any format that gputrace reads; several files, or a folder, are one job with a process per rank");
  app.add_option("--do", options->remedies, "a change by name, any number (--list)")->allow_extra_args(false);
  app.add_option("--scale", options->scalings, "WHAT=FACTOR: kernels:TEXT, class:NAME, copies:h2d, launches, host ...; any number")->allow_extra_args(false);
  app.add_option("--remove", options->removals,
                 "kernels:TEXT, class:NAME or copies:h2d, with the calls that ask for them; or syncs, allocations, pauses, readbacks; any number")
      ->allow_extra_args(false);
  app.add_option("--overlap", options->overlaps, "update, input or communication: done beside other work; any number")->allow_extra_args(false);
  app.add_option("-o,--output", options->output, "write the replayed trace there, marked as predicted, for gputrace view");
  app.add_flag("--force", options->force, "overwrite the output");
  app.add_flag("--list", options->list, "the changes that can be tried, and exit");
  app.footer(
      "Replays the recorded step with the change: each call, kernel and copy begins when what it waited for is done.\n\n"
      "Examples:\n"
      "  gputrace whatif trace1.sqlite --do remove-syncs\n"
      "  gputrace whatif trace1.sqlite --do pin-copies --scale copies:h2d=0.5\n"
      "  gputrace whatif trace1.sqlite --remove kernels:pad\n"
      "  gputrace whatif trace1.sqlite --overlap update -o predicted.sqlite");
  app.callback([options, &exit_status] {
    const auto done = what_if(*options);
    exit_status = done ? 0 : report_error(done.error());
  });
}

}  // namespace

extern const Command whatif{"whatif", "Predict the step time after a change, by replaying the trace", add};

}  // namespace gputrace::cli
