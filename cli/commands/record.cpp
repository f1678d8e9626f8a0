// gputrace record -- PROG ARGS: runs the program with the collector inside, then makes one trace of what all its
// processes left in their spools.
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/capture_switch.h"
#include "cli/command.h"
#include "cli/find_collector.h"
#include "cli/launch.h"
#include "cli/recording_watch.h"
#include "cli/report_after_record.h"
#include "cli/spool_to_trace.h"
#include "cli/terminal.h"
#include "cli/trace_name.h"

namespace gputrace::cli {

namespace {

constexpr double kMostSeconds = 1e8;

struct RecordOptions {
  std::string output = "trace%n.sqlite";
  bool force = false;
  std::vector<std::string> what{"cuda", "nvtx"};
  unsigned flush_period_ms = 1000, buffer_mb = 64;
  double delay_s = 0, duration_s = 0;
  std::string capture_range, capture_signal, step_range, keep;
  unsigned until_steps = 0;
  bool no_live = false, keep_spool = false, no_report = false;
  std::string box, graph_trace = "graph";
  std::vector<std::string> program;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

// All processes of the recording share one beginning.
void add_capture(const RecordOptions& options, std::vector<std::pair<std::string, std::string>>& environment) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  const bool triggered = !options.capture_range.empty() || !options.capture_signal.empty();
  if (options.delay_s > 0 || (options.duration_s > 0 && !triggered)) {
    environment.emplace_back("GPUTRACE_CAPTURE_FROM_NS", std::to_string(now_ns + nanoseconds(options.delay_s)));
  }
  if (options.duration_s > 0) {
    environment.emplace_back("GPUTRACE_CAPTURE_DURATION_NS", std::to_string(nanoseconds(options.duration_s)));
  }
  if (!options.capture_range.empty()) environment.emplace_back("GPUTRACE_CAPTURE_RANGE", options.capture_range);
  if (options.until_steps > 0) environment.emplace_back("GPUTRACE_UNTIL_STEPS", std::to_string(options.until_steps));
  if (!options.step_range.empty()) environment.emplace_back("GPUTRACE_STEP_RANGE", options.step_range);
}

// "30s", "5min", "500MB" or "2GB" as the library's variable; none where it is none of these, or not above 0.
std::optional<std::pair<std::string, std::string>> keep_limit(const std::string& text) {
  struct Unit {
    std::string_view name;
    const char* variable;
    std::int64_t factor;
    std::int64_t least;  // segments below this are more files than data
  };
  constexpr Unit kUnits[] = {{"s", "GPUTRACE_KEEP_NS", 1'000'000'000, 1},
                             {"min", "GPUTRACE_KEEP_NS", 60'000'000'000, 1},
                             {"MB", "GPUTRACE_KEEP_BYTES", 1'000'000, 4},
                             {"GB", "GPUTRACE_KEEP_BYTES", 1'000'000'000, 1}};
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  for (const Unit& known : kUnits) {
    if (parsed.ec == std::errc() && unit == known.name && count >= known.least && count <= kMost) {
      return std::pair<std::string, std::string>(known.variable, std::to_string(count * known.factor));
    }
  }
  return std::nullopt;
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
  add_capture(options, environment);
  if (const auto limit = keep_limit(options.keep)) environment.push_back(*limit);
  if (!options.box.empty()) environment.emplace_back("VIRTUAL_BOX_PROFILE", options.box);
  return launch;
}

Result<CaptureSwitch> hold_capture_switch(const std::string& signal, const std::filesystem::path& spools, Launch& launch) {
  auto made = CaptureSwitch::create(spools);
  if (!made) return made;
  launch.environment.emplace_back("GPUTRACE_CAPTURE_SWITCH", made->path().string());
  launch.own_signal = capture_signal(signal);
  launch.on_own_signal = CaptureSwitch::flip_current;
  fmt::print(stderr, "gputrace: kill -{} {} starts the capture, and stops it again\n", signal, getpid());
  return made;
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
  RecordingWatch watch(*spools, !options.no_live && is_terminal(STDERR_FILENO));
  Launch launch = prepared(options, std::move(*path), *collector, *spools);
  launch.environment.emplace_back("GPUTRACE_NOTICE_SOCKET", watch.socket_name());
  std::optional<CaptureSwitch> capture_switch;
  if (!options.capture_signal.empty()) {
    auto made = hold_capture_switch(options.capture_signal, *spools, launch);
    if (!made) {
      std::filesystem::remove_all(*spools, ignored);
      return tl::unexpected(made.error());
    }
    capture_switch.emplace(std::move(*made));
  }
  const auto status = run_to_end(launch);
  watch.stop();
  capture_switch.reset();
  const std::string unrecorded = watch.unrecorded();
  if (!status) {
    std::filesystem::remove_all(*spools, ignored);
    return tl::unexpected(status.error());
  }
  if (!std::filesystem::exists(*spools, ignored)) {
    report_error({"the folder of the recording was removed while the program ran: nothing is left of it", spools->string(), ""});
    return *status != 0 ? *status : 1;
  }
  if (std::filesystem::is_empty(*spools, ignored)) {
    std::filesystem::remove_all(*spools, ignored);
    const std::string why = unrecorded.empty() ? "the program used neither CUDA nor NVTX" : unrecorded;
    report_error({"nothing was recorded: " + why, options.program.front(), ""});
    // A program with nothing to record has done no wrong; a spool that could not be created is an error of ours.
    return *status == 0 && !unrecorded.empty() ? 1 : *status;
  }
  if (auto written = spool_to_trace(*spools, *trace, options.force, unrecorded); !written) {
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
  app.add_option("-t,--trace", options->what, "What to record; memory (allocations and pools) and page-faults (of unified memory) come with cuda")
      ->delimiter(',')->check(CLI::IsMember({"cuda", "nvtx", "memory", "page-faults"}))
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
                 "CUDA graphs: graph records one span for the whole, node each kernel in them, at more cost")
      ->check(CLI::IsMember({"node", "graph"}))->capture_default_str();
  app.add_option("--box", options->box, "Machine profile of the virtual box, for the bundled trainer without a GPU");
  app.add_option("--delay", options->delay_s, "Seconds after the start from which on to record")
      ->check(CLI::Range(0.0, kMostSeconds));
  app.add_option("--duration", options->duration_s, "Seconds to record, from the delay or the first capture range on")
      ->check(CLI::Range(0.001, kMostSeconds));
  app.add_option("--capture-range", options->capture_range,
                 "Record only in ranges nvtx:NAME (of NVTX's default domain), nvtx:NAME@DOMAIN (* for any), or between "
                 "cuProfilerStart and cuProfilerStop: profiler-api")
      ->check([](const std::string& range) {
        const bool known = range == "profiler-api" || (range.starts_with("nvtx:") && range.size() > 5 && range[5] != '@');
        return known ? std::string() : "is not nvtx:NAME, nvtx:NAME@DOMAIN or profiler-api";
      });
  app.add_option("--capture-signal", options->capture_signal,
                 "Record only between one signal, USR1 or USR2, sent to this process, and the next; it does not reach the program")
      ->check([](const std::string& name) { return capture_signal(name) != 0 ? std::string() : "is not USR1 or USR2"; })
      ->excludes("--capture-range");
  app.add_option("--until-steps", options->until_steps, "Stop recording after this many steps; the program runs on")
      ->check(CLI::Range(1U, 1'000'000'000U));
  app.add_option("--step-range", options->step_range,
                 "The NVTX range that is a step for --until-steps; step, iteration and the like if not given");
  app.add_option("--keep", options->keep,
                 "Keep the newest part only, for long runs: 30s, 10min, 500MB or 2GB in each process")
      ->check([](const std::string& limit) {
        return keep_limit(limit) ? std::string() : "is not a time or a size such as 30s, 10min, 500MB (at least 4MB) or 2GB";
      });
  app.add_flag("--no-live", options->no_live, "No live line on the terminal: time, records/s, dropped, size");
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
