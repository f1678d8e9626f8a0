#include "analyzer/copy_sizes.h"

#include <algorithm>

namespace gputrace::analyzer {

bool has_copy_sizes(const RuleInput& input, Finding& finding) {
  const trace::Copies& copies = input.trace.copies;
  const bool captured = input.trace.has(trace::Table::copies);
  const bool sized = copies.size() == 0 || std::any_of(copies.bytes.begin(), copies.bytes.end(), [](std::int64_t bytes) { return bytes > 0; });
  if (captured && sized) return true;
  finding.verdict = Verdict::could_not_look;
  finding.why = captured ? "no sizes of copies were captured" : "no copies were captured";
  return false;
}

}  // namespace gputrace::analyzer
