#include "collector/guest/options.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace gputrace::guest {

namespace {

constexpr const char* kRankVariables[] = {
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_JOB_ID", "CUDA_VISIBLE_DEVICES"};

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// 0 where the variable is not set, is no number, or is below 0.
std::int64_t number(const char* name) { return std::max(0LL, std::atoll(variable(name))); }

CaptureRules capture_rules() {
  CaptureRules rules;
  rules.from_realtime_ns = number("GPUTRACE_CAPTURE_FROM_NS");
  rules.duration_ns = number("GPUTRACE_CAPTURE_DURATION_NS");
  rules.set_trigger(variable("GPUTRACE_CAPTURE_RANGE"));
  if (*variable("GPUTRACE_CAPTURE_SWITCH") != '\0') rules.trigger = CaptureRules::Trigger::by_switch;
  rules.until_steps = static_cast<std::uint32_t>(std::min<std::int64_t>(number("GPUTRACE_UNTIL_STEPS"), UINT32_MAX));
  rules.step_range = variable("GPUTRACE_STEP_RANGE");
  return rules;
}

}  // namespace

Options Options::from_environment() {
  Options options;
  options.spool_directory = variable("GPUTRACE_SPOOL_DIR");
  options.cupti_path = variable("GPUTRACE_CUPTI_PATH");
  if (const std::string_view what = variable("GPUTRACE_TRACE"); !what.empty()) {
    options.nvtx = what.find("nvtx") != what.npos;
    options.memory = what.find("memory") != what.npos;
    options.page_faults = what.find("page-faults") != what.npos;
    options.cuda = options.memory || options.page_faults || what.find("cuda") != what.npos;
  }
  options.whole_graphs = std::string_view(variable("GPUTRACE_GRAPH_TRACE")) != "node";
  if (const long period = std::atol(variable("GPUTRACE_FLUSH_PERIOD_MS")); period > 0) {
    options.flush_period_ms = static_cast<std::uint32_t>(std::clamp(period, 10L, 3'600'000L));
  }
  if (const long megabytes = std::atol(variable("GPUTRACE_BUFFER_MB")); megabytes > 0) {
    options.buffer_bytes = static_cast<std::size_t>(std::clamp(megabytes, 1L, 1024L)) << 20;
  }
  options.capture = capture_rules();
  options.capture_switch = variable("GPUTRACE_CAPTURE_SWITCH");
  options.keep.time_ns = number("GPUTRACE_KEEP_NS");
  options.keep.bytes = static_cast<std::uint64_t>(number("GPUTRACE_KEEP_BYTES"));
  options.notice_socket = variable("GPUTRACE_NOTICE_SOCKET");
  for (const char* name : kRankVariables) {
    if (const char* value = std::getenv(name)) options.environment.emplace_back(name, value);
  }
  return options;
}

}  // namespace gputrace::guest
