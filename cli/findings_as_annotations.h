// What a diagnosis found, as marks on the timeline of another tool.
#pragma once

#include <vector>

#include "trace/exporter.h"
#include "trace/trace.h"

namespace gputrace::cli {

// One per piece of evidence of each finding; none for rules that found nothing or could not look.
std::vector<trace::Annotation> findings_as_annotations(const trace::Trace& trace);

}  // namespace gputrace::cli
