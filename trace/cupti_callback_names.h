// Names of CUDA API functions by CUPTI's callback id, for formats that keep the id only: the functions that
// training programs call. An id that is not known has no name.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/kinds.h"

namespace gputrace::trace {

// "cudaLaunchKernel_v7000"; "" where the id is not known.
std::string_view callback_name(ApiClass api, std::int64_t id);

}  // namespace gputrace::trace
