// Finds why each GPU was idle, by the call that launched what ended the gap: the causes of analyzer/metrics.h.
#pragma once

#include <vector>

#include "analyzer/launch_index.h"
#include "gui/idle_row.h"
#include "gui/timeline.h"

namespace gputrace::gui {

// By lane; empty rows for lanes that are no GPU's. Touches every event of the trace once.
std::vector<IdleRow> find_idle_causes(const trace::Trace& trace, const Timeline& timeline,
                                      const analyzer::LaunchIndex& launches);

// The row of Timeline's lane that the gaps lie in.
inline const EventRow& stretches_of(const Lane& gpu) { return gpu.rows.front(); }

}  // namespace gputrace::gui
