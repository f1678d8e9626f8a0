// Copies whose host side is pageable memory.
#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace gputrace::analyzer {

// A small result that the host reads back (thresholds::kReadbackBytes) is waited for whatever memory it goes to, so it is none.
bool is_pageable_copy(const trace::Copies& copies, std::size_t copy);

}  // namespace gputrace::analyzer
