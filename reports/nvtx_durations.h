// Durations of the NVTX ranges that ended, by name.
#pragma once

#include <functional>
#include <optional>

#include "reports/value_groups.h"

namespace gputrace::reports {

// `name` gives a range's group, or nullopt to leave the range out. Marks and ranges without an end are left out.
ValueGroups nvtx_durations_ns(const trace::Trace& trace,
                              const std::function<std::optional<std::string>(std::size_t range)>& name);

}  // namespace gputrace::reports
