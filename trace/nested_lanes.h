// Lays spans on as few rows as they need where a row's spans must nest: for formats whose slices open and close like brackets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gputrace::trace {

// The row of each span, from 0; a span goes to the first row where it lies inside, or after, what is open there. The spans must be
// sorted by start, longer ones first among equals. End kNoEnd: open for ever. At most `most` rows: what fits none goes to the last.
std::vector<std::uint32_t> nested_lanes(const std::vector<Span>& spans, std::size_t most = 64);

}  // namespace gputrace::trace
