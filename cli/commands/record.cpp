// gputrace record -- PROG ARGS: runs the program with the collector inside, then makes one trace of what all its
// processes left in their spools.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/launch.h"
#include "cli/report_after_record.h"
#include "cli/spool_to_trace.h"
#include "cli/trace_name.h"

namespace gputrace::cli {

namespace {

struct RecordOptions {
  std::string output = "trace%n.sqlite";
  bool force = false;
  std::vector<std::string> what{"cuda", "nvtx"};
  unsigned flush_period_ms = 1000, buffer_mb = 64;
  bool keep_spool = false, no_report = false;
  std::string box, graph_trace = "node";
  std::vector<std::string> program;
};

// The library lies beside this program: in the build tree and where it is installed.
Result<std::filesystem::path> find_collector() {
  constexpr std::array kFolders{"../lib", "../lib64", "../lib/x86_64-linux-gnu", "../lib/aarch64-linux-gnu"};
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : kFolders) {
    const auto candidate = (here / folder / "libgputrace_collector.so").lexically_normal();
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return fail("libgputrace_collector.so is not there", (here / kFolders[0]).lexically_normal().string(),
              "build or install the collector too");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

Launch prepared(const RecordOptions& options, std::string path, const std::filesystem::path& collector,
                const std::filesystem::path& spools) {
  Launch launch{std::move(path), options.program, {}};
  auto& environment = launch.environment;
  environment = {{"CUDA_INJECTION64_PATH", collector.string()},
                 {"NVTX_INJECTION64_PATH", collector.string()},
                 {"GPUTRACE_SPOOL_DIR", spools.string()},
                 {"GPUTRACE_TRACE", joined(options.what)},
                 {"GPUTRACE_FLUSH_PERIOD_MS", std::to_string(options.flush_period_ms)},
                 {"GPUTRACE_GRAPH_TRACE", options.graph_trace},
                 {"GPUTRACE_BUFFER_MB", std::to_string(options.buffer_mb)}};
  if (!options.box.empty()) environment.emplace_back("VIRTUAL_BOX_PROFILE", options.box);
  return launch;
}

// Everything that can be wrong is found before the program runs.
Result<int> record_program(const RecordOptions& options) {
  auto path = find_program(options.program.front());
  if (!path) return tl::unexpected(path.error());
  const auto collector = find_collector();
  if (!collector) return tl::unexpected(collector.error());
  const auto trace = expand_trace_name(options.output);
  if (!trace) return tl::unexpected(trace.error());
  const auto spools = make_spool_folder(*trace, options.force);
  if (!spools) return tl::unexpected(spools.error());

  std::error_code ignored;  // of clean-up: what stays behind does no harm
  const auto status = run_to_end(prepared(options, std::move(*path), *collector, *spools));
  if (!status) {
    std::filesystem::remove_all(*spools, ignored);
    return tl::unexpected(status.error());
  }
  if (std::filesystem::is_empty(*spools, ignored)) {
    std::filesystem::remove_all(*spools, ignored);
    report_error({"nothing was recorded: the program used neither CUDA nor NVTX", options.program.front(), ""});
    return *status != 0 ? *status : 1;
  }
  if (auto written = spool_to_trace(*spools, *trace, options.force); !written) {
    Error error = written.error();
    error.next_step = "the recording is kept: gputrace recover " + spools->string();
    report_error(error);
    return *status != 0 ? *status : 1;
  }
  if (options.keep_spool) fmt::print(stderr, "gputrace: the spools are kept in {}\n", spools->string());
  else std::filesystem::remove_all(*spools, ignored);
  if (!options.no_report) report_after_record(*trace);
  return *status;
}

void add_record(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<RecordOptions>();
  app.add_option("-o,--output", options->output, "The trace to write: %n first free number, %p pid, %h host, %q{VAR}")
      ->capture_default_str();
  app.add_flag("--force", options->force, "Replace the trace if it exists");
  app.add_option("-t,--trace", options->what, "What to record")->delimiter(',')->check(CLI::IsMember({"cuda", "nvtx"}))
      ->default_str("cuda,nvtx");
  app.add_option("--flush-period", options->flush_period_ms,
                 "Milliseconds that are lost at most when the program is killed")
      ->check(CLI::Range(10, 3'600'000))
      ->capture_default_str();
  app.add_option("--buffer-mb", options->buffer_mb,
                 "Memory for records in each process; more records than fit are dropped and counted")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--graph-trace", options->graph_trace,
                 "CUDA graphs: node records each kernel in them, graph one span for the whole, at less cost")
      ->check(CLI::IsMember({"node", "graph"}))->capture_default_str();
  app.add_option("--box", options->box, "Machine profile of the virtual box, for the bundled trainer without a GPU");
  app.add_flag("--keep-spool", options->keep_spool, "Keep the raw spool files");
  app.add_flag("--no-report", options->no_report, "Only write the trace");
  app.add_option("program", options->program, "The program and its arguments, after --")->required();
  app.footer("The exit status is the program's own, or 128 + N where signal N ended it.\n\nExamples:\n"
             "  gputrace record -- ./trainer --steps 20\n"
             "  gputrace record -o run-%q{RANK}.sqlite -- python3 train.py");
  app.callback([options, &exit_status] {
    const auto status = record_program(*options);
    exit_status = status ? *status : report_error(status.error());
  });
}

}  // namespace

extern constinit const Command record{"record", "Run a program and record what it does on the GPUs", add_record};

}  // namespace gputrace::cli
