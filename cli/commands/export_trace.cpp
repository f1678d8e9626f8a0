// gputrace export: a trace in the format of another tool.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/findings_as_annotations.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "trace/exporter.h"

namespace gputrace::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format, output;
  bool force = false, no_findings = false;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const trace::Exporter* exporter : trace::all_exporters()) names.emplace_back(exporter->format);
  return names;
}

const trace::Exporter& exporter_named(const std::string& format) {
  const auto all = trace::all_exporters();
  return **std::find_if(all.begin(), all.end(), [&format](const trace::Exporter* exporter) { return exporter->format == format; });
}

Result<void> export_files(const Options& options) {
  for (const std::string& file : options.files) {
    if (auto free = check_output(options.output, options.force, file); !free) return free;
  }
  const auto trace = open_traces({options.files.begin(), options.files.end()});
  if (!trace) return tl::unexpected(trace.error());
  auto sink = trace::ByteSink::create(options.output, options.force);
  if (!sink) return tl::unexpected(std::move(sink.error()));
  const auto annotations = options.no_findings ? std::vector<trace::Annotation>() : findings_as_annotations(*trace);
  exporter_named(options.format).write(*trace, annotations, *sink);
  return sink->finish();
}

void add(CLI::App& app, int& exit_status) {
  const auto options = std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("FILE", options->files, "a trace of any format that gputrace reads; several files, or a folder, are one job")->required();
  app.add_option("--format", options->format,
                 "chrome (JSON for chrome://tracing and PyTorch's tools), perfetto (protobuf for ui.perfetto.dev), csv (a row per event), folded (stacks for flame graphs)")
      ->required()
      ->check(CLI::IsMember(format_names()));
  app.add_option("-o,--output", options->output, "the file to write")->required();
  app.add_flag("--no-findings", options->no_findings, "leave out what a report finds, which is marked on the timeline otherwise");
  app.add_flag("--force", options->force, "overwrite the output file");
  app.footer(
      "Examples:\n"
      "  gputrace export trace1.sqlite --format perfetto -o trace1.pftrace\n"
      "  gputrace export trace1.sqlite --format csv -o events.csv");
  app.callback([options, &exit_status] {
    if (const auto done = export_files(*options); !done) exit_status = report_error(done.error());
  });
}

}  // namespace

extern const Command export_trace{"export", "Write a trace in the format of another tool", add};

}  // namespace gputrace::cli
