// What an exporter makes of a trace.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trace/exporter.h"

namespace gputrace::tests {

std::string exported(const trace::Trace& trace, std::string_view format, std::span<const trace::Annotation> annotations = {});
std::size_t count_of(std::string_view text, std::string_view part);

}  // namespace gputrace::tests
