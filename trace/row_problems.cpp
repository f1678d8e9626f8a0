#include "trace/row_problems.h"

#include <fmt/format.h>

namespace gputrace::trace {
namespace {

const char* description(RowProblem problem) {
  switch (problem) {
    case RowProblem::no_time:
      return "without a start or an end (left out)";
    case RowProblem::no_time_stamp:
      return "whose time was not collected: start and end are 0 (left out)";
    case RowProblem::reversed:
      return "that end before they start (left out)";
    case RowProblem::time_out_of_range:
      return "more than 146 years from time 0 (left out)";
    case RowProblem::no_device:
      return "without a device (left out)";
    case RowProblem::no_begin:
      return "that end without having begun (left out)";
    case RowProblem::other_kind:
      return "of a kind that is not read (left out)";
    case RowProblem::wrong_type:
      return "with a value of the wrong type";
    case RowProblem::value_out_of_range:
      return "with a number out of range";
    case RowProblem::unknown_kind:
      return "of an unknown kind";
    case RowProblem::unknown_string:
      return "whose name is not among the file's strings";
    case RowProblem::no_end:
      return "still open at the end of the trace";
    case RowProblem::duplicate_id:
      return "with an id seen before (the first is kept)";
    case RowProblem::text_cut:
      return "with a text over 1 MiB (cut there)";
    case RowProblem::count:
      break;
  }
  return "";
}

bool is_time_in_range(std::int64_t time_ns) { return time_ns > -kTimeLimitNs && time_ns < kTimeLimitNs; }

}  // namespace

void RowProblems::report(std::vector<Diagnostic>& diagnostics) const {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    diagnostics.push_back({fmt::format("{} {}", rows_, description(static_cast<RowProblem>(i))), counts_[i]});
  }
}

bool is_usable_span(std::int64_t start_ns, std::int64_t end_ns, RowProblems& problems) {
  if (start_ns == 0 && end_ns == 0) return problems.count(RowProblem::no_time_stamp), false;
  if (!is_time_in_range(start_ns) || !is_time_in_range(end_ns)) {
    return problems.count(RowProblem::time_out_of_range), false;
  }
  if (end_ns < start_ns) return problems.count(RowProblem::reversed), false;
  return true;
}

}  // namespace gputrace::trace
