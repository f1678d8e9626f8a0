// What an importer makes of a small file, written in the test.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace gputrace::tests {

// Fails the test where the file cannot be read.
trace::Trace imported(std::string_view bytes, std::string_view name = "file");
// The error of reading it, without the path; fails the test where it can be read.
std::string import_error(std::string_view bytes, std::string_view name = "file");
// The counts of the diagnostics whose text has this part.
std::int64_t counted(const trace::Trace& trace, std::string_view part);
trace::Span range_span(const trace::Trace& trace, std::size_t range);
std::string gzip(std::string_view text);

}  // namespace gputrace::tests
