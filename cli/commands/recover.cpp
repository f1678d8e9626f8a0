// gputrace recover DIR: makes a trace of the spools of a recording that was interrupted.
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/spool_to_trace.h"
#include "cli/trace_name.h"

namespace gputrace::cli {

namespace {

struct RecoverOptions {
  std::string folder, output;
  bool force = false;
};

Result<void> recover_trace(const RecoverOptions& options) {
  std::filesystem::path trace = trace_of_spool_folder(options.folder);
  if (!options.output.empty() || trace.empty()) {
    const auto expanded = expand_trace_name(options.output.empty() ? "trace%n.sqlite" : options.output);
    if (!expanded) return tl::unexpected(expanded.error());
    trace = *expanded;
  }
  if (auto written = spool_to_trace(options.folder, trace, options.force); !written) return written;
  fmt::print(stderr, "gputrace: {} may be removed now\n", options.folder);
  return {};
}

void add_recover(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<RecoverOptions>();
  app.add_option("folder", options->folder, "The spool folder, NAME.sqlite.spool-XXXXXX")->required();
  app.add_option("-o,--output", options->output, "The trace to write; from the folder's name if not given");
  app.add_flag("--force", options->force, "Replace the trace if it exists");
  app.footer("Example:\n  gputrace recover trace1.sqlite.spool-a8Xk2c");
  app.callback([options, &exit_status] {
    const auto written = recover_trace(*options);
    exit_status = written ? 0 : report_error(written.error());
  });
}

}  // namespace

extern constinit const Command recover{"recover", "Finish a recording that was interrupted", add_recover};

}  // namespace gputrace::cli
