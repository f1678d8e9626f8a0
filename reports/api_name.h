// Names of API functions as their users know them.
#pragma once

#include <string_view>

namespace gputrace::reports {

// "cudaLaunchKernel_v7000" is "cudaLaunchKernel": the suffix is the version of its ABI.
std::string_view without_api_version(std::string_view name);

}  // namespace gputrace::reports
