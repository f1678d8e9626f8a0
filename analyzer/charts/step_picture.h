// One step as it ran, small enough to draw.
#pragma once

#include <vector>

#include "analyzer/charts/chart_data.h"
#include "analyzer/diagnosis.h"
#include "analyzer/metrics.h"
#include "analyzer/name_rules.h"

namespace gputrace::analyzer {

inline constexpr std::size_t kMostLaneSpans = 6000;   // of all lanes together: a page of them is about a megabyte
inline constexpr std::size_t kMostHostLanes = 8;      // the threads with most to show
inline constexpr double kTypicalStep = 0.05;          // a step is typical whose duration is within this share of the median

// Of the typical steps the one with most evidence of the first finding, then of all, then the nearest to the median.
// Host lanes show the outermost NVTX ranges of less than half the step, of threads without such ones what ranges they have, and
// of threads without any the API calls.
StepPicture step_picture(const trace::Trace& trace, const Metrics& metrics, const std::vector<Finding>& findings,
                         const std::vector<NameRule>& name_rules);

}  // namespace gputrace::analyzer
