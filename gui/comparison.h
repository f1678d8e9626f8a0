// A second trace below the first: its view follows the one above, step by step.
#pragma once

#include "analyzer/diff/trace_diff.h"
#include "gui/viewer.h"

namespace gputrace::gui {

struct Comparison {
  Comparison(Viewer& above, const Session& other, analyzer::TraceDiff what_changed);

  Viewer below;
  analyzer::TraceDiff diff;  // before: the trace above, after: the one below
};

// What the lower trace shows: the same length of time, with the step that has the middle of the upper view laid over the step
// of that number. Without steps in both, their windows begin together. Sets below.ahead_ns.
View aligned_view(const Viewer& above, Viewer& below);

}  // namespace gputrace::gui
