// An opened trace with all that the viewer shows of it. Does not change once made.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "analyzer/diagnosis.h"
#include "analyzer/launch_index.h"
#include "analyzer/name_rules.h"
#include "gui/kernel_names.h"
#include "gui/timeline.h"
#include "trace/result.h"

namespace gputrace::gui {

struct Session {
  trace::Trace trace;
  analyzer::Diagnosis diagnosis;
  KernelNames names;
  Timeline timeline;
  analyzer::LaunchIndex launches;

  explicit Session(trace::Trace opened, const std::vector<analyzer::NameRule>& name_rules = {});
};

// Called with what is being done and the share done, 0 to 1; returns false to stop.
using LoadProgress = std::function<bool(const char* stage, double share)>;

// Reads and analyses, with the user's own names for kernels. Errors: those of read_trace and of the file of names.
Result<std::unique_ptr<Session>> open_session(const std::filesystem::path& file,
                                              const LoadProgress& progress = {});

}  // namespace gputrace::gui
