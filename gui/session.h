// An opened trace with all that the viewer shows of it. Two things come later than the rest, because they take longest: the
// diagnosis and the causes of idle time. Else it does not change once made.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "analyzer/diagnosis.h"
#include "analyzer/launch_index.h"
#include "analyzer/name_rules.h"
#include "gui/idle_causes.h"
#include "gui/kernel_names.h"
#include "gui/legend.h"
#include "gui/name_totals.h"
#include "gui/timeline.h"
#include "trace/result.h"

namespace gputrace::gui {

struct Analysis {
  analyzer::Diagnosis diagnosis;
  std::vector<IdleRow> idle;  // by lane
};

struct Session {
  trace::Trace trace;
  std::vector<analyzer::NameRule> name_rules;  // the user's own names for kernels
  KernelNames names;
  Timeline timeline;
  analyzer::LaunchIndex launches;
  std::vector<NameTotal> name_totals;
  CategorySet legend;  // with the causes of idle time once they are there
  analyzer::Diagnosis diagnosis;
  std::vector<IdleRow> idle;
  bool is_analysed = false;   // the two above are there
  double share_of_trace = 1;  // below 1: a first look, some of the trace's events

  explicit Session(trace::Trace opened, std::vector<analyzer::NameRule> rules = {});
  static std::unique_ptr<Session> without_analysis(trace::Trace opened, std::vector<analyzer::NameRule> rules = {});
  // Only reads the session, so that it can run on a thread of its own while the session is shown.
  Analysis analyse() const;
  void take(Analysis analysis);
  std::size_t size_bytes() const;  // of what the viewer keeps besides the trace

 private:
  struct LanesOnly {};
  Session(trace::Trace opened, std::vector<analyzer::NameRule> rules, LanesOnly);
};

// Called with what is being done and the share done, 0 to 1; returns false to stop.
using LoadProgress = std::function<bool(const char* stage, double share)>;

// The trace of a file, or of all traces in a folder as one job. progress: the share of the file that is being read; false stops.
Result<trace::Trace> read_job(const std::filesystem::path& path, const std::function<bool(double)>& progress);

// Reads and analyses; the user's own names for kernels are in the file `names`, or where the user keeps them. Errors: those of
// read_trace and of the file of names.
Result<std::unique_ptr<Session>> open_session(const std::filesystem::path& file, const LoadProgress& progress = {},
                                              const std::filesystem::path& names = {});

}  // namespace gputrace::gui
