// A comparison of two traces as text for a terminal, as Markdown, as a page, and as JSON.
#pragma once

#include <string>

#include "analyzer/diff/trace_diff.h"
#include "reports/format.h"

namespace gputrace::reports {

std::string diff_as_text(const analyzer::TraceDiff& diff, const FormatOptions& options);

std::string diff_as_markdown(const analyzer::TraceDiff& diff);  // for issues and pull requests

std::string diff_as_html(const analyzer::TraceDiff& diff);  // one page that needs nothing else

// { "format": "gputrace.diff", "version": 1, "before", "after", "sentence", "caveats": [..],
//   "steps": { "verdict", "why", "source", "count", "median_ns", "change", "interval_95", "smallest_visible"
//   }, "unit": "step" | "window", "gpus", "traced_ns", "traced_kernel_ns", "unit_ns", "kernel_ns",
//   "compute_kernel_ns", "busy_ns", "idle_ns", "exposed_communication_ns", "parts_ns": { key: pair },
//   "scaling": null | { "work": "shared" | "repeated", "ideal_ns", "actual_ns", "efficiency", "losses_ns": { what: ns } },
//   "classes": [..], "kernels": [ { "name", "class", "fate", "calls", "ns" } ] }
// A pair is { "before", "after" }; the times are means per unit and GPU as in TraceDiff.
std::string diff_as_json(const analyzer::TraceDiff& diff);

}  // namespace gputrace::reports
