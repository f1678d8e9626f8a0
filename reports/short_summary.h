// What a recording ends with: the answer in five lines, and where the whole of it is.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/diagnosis.h"
#include "reports/format.h"

namespace gputrace::reports {

// Five lines: the top finding, its gain, how complete the data is, the trace's file, the next command. The
// first three are cut to the width; a file name never is, as a cut one cannot be copied.
std::string short_summary(const analyzer::Diagnosis& diagnosis, std::string_view next_command,
                          const FormatOptions& options);

}  // namespace gputrace::reports
