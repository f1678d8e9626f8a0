// gputrace import: a trace file of gputrace's own from whatever another tool wrote.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#include "reports/plain_text.h"
#include "trace/save_trace.h"

namespace gputrace::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
};

// What was found, and what was not taken over: a file that lost rows must not look whole.
void print_summary(const trace::Trace& trace, const std::string& output) {
  fmt::print(stderr, "gputrace: {}: {} kernels, {} copies, {} API calls, {} ranges, {} op placements from {}\n", reports::one_line(output),
             trace.kernels.size(), trace.copies.size(), trace.api_calls.size(), trace.nvtx.size(), trace.op_placements.size(),
             reports::one_line(trace.metadata.producer));
  if (!trace.metadata.complete) fmt::print(stderr, "gputrace: incomplete: {}\n", reports::one_line(trace.metadata.incomplete_why));
  for (const trace::Diagnostic& diagnostic : trace.diagnostics)
    fmt::print(stderr, "gputrace: {} {}\n", diagnostic.count, reports::one_line(diagnostic.what));
}

Result<void> import_files(const Options& options) {
  for (const std::string& file : options.files) {
    if (auto free = check_output(options.output, options.force, file); !free) return free;
  }
  const auto trace = open_traces({options.files.begin(), options.files.end()});
  if (!trace) return tl::unexpected(trace.error());
  if (auto saved = trace::save_trace(*trace, options.output, options.force); !saved) return saved;
  print_summary(*trace, options.output);
  return {};
}

void add(CLI::App& app, int& exit_status) {
  const auto options = std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("FILE", options->files,
                 "a trace of Nsight Systems, nvprof, PyTorch, TensorFlow, JAX, Horovod, rocprof or Perfetto, or a Chrome trace; several "
                 "files, or a folder, are one job with a process per rank")
      ->required();
  app.add_option("-o,--output", options->output, "the trace to write")->required();
  app.add_flag("--force", options->force, "overwrite the output file");
  app.footer(
      "What a file is shows in its content, not its name. Other commands read such files too; an import is worth it where a file\n"
      "is opened often.\n\n"
      "Examples:\n"
      "  gputrace import trace.json.gz -o trace.sqlite\n"
      "  gputrace import rank0.json.gz rank1.json.gz -o job.sqlite");
  app.callback([options, &exit_status] {
    if (const auto done = import_files(*options); !done) exit_status = report_error(done.error());
  });
}

}  // namespace

extern const Command import_trace{"import", "Make a trace of what another tool recorded", add};

}  // namespace gputrace::cli
