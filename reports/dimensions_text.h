// Sizes of grids and blocks, as columns of tables show them.
#pragma once

#include <string>

#include "trace/trace.h"

namespace gputrace::reports {

std::string dimensions_text(const trace::Dim3& size);  // "64 1 1"

}  // namespace gputrace::reports
