// What this process was asked to record, by its environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/guest/capture_window.h"
#include "collector/guest/spool_writer.h"

namespace gputrace::guest {

struct Options {
  std::string spool_directory;       // "": do not record
  bool cuda = true, nvtx = true;
  bool memory = false;               // allocations and pools
  bool page_faults = false;          // of unified memory; its migrations are recorded with `cuda`
  bool whole_graphs = true;          // CUDA graphs as one span each; CUPTI then leaves out the kernels in them
  std::uint32_t flush_period_ms = 1000;
  std::size_t buffer_bytes = std::size_t{64} << 20;
  std::string cupti_path;            // "": by name only
  std::vector<std::pair<std::string, std::string>> environment;  // rank variables that are set

  CaptureRules capture;
  KeepLimit keep;
  std::string capture_switch;        // the file of the switch that `record` holds; "": there is none
  std::string notice_socket;         // abstract; hears of a spool that could not be created. "": nobody listens

  // GPUTRACE_SPOOL_DIR, GPUTRACE_TRACE (cuda,nvtx,memory,page-faults), GPUTRACE_FLUSH_PERIOD_MS, GPUTRACE_BUFFER_MB, GPUTRACE_CUPTI_PATH,
  // GPUTRACE_GRAPH_TRACE (node or graph), GPUTRACE_CAPTURE_FROM_NS (CLOCK_REALTIME), GPUTRACE_CAPTURE_DURATION_NS,
  // GPUTRACE_CAPTURE_RANGE (nvtx:NAME[@DOMAIN] or profiler-api), GPUTRACE_UNTIL_STEPS, GPUTRACE_STEP_RANGE, GPUTRACE_KEEP_NS,
  // GPUTRACE_KEEP_BYTES, GPUTRACE_NOTICE_SOCKET, GPUTRACE_CAPTURE_SWITCH (a file, see capture_switch_page.h).
  static Options from_environment();
};

}  // namespace gputrace::guest
