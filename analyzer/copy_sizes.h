// For rules about what copies carry: nothing can be said of copies whose size was not captured.
#pragma once

#include "analyzer/rule.h"

namespace gputrace::analyzer {

// False, with `finding` saying what is missing, where no copies were captured, or copies whose sizes the format does not tell
// (TensorFlow's timeline, rocprof).
bool has_copy_sizes(const RuleInput& input, Finding& finding);

}  // namespace gputrace::analyzer
