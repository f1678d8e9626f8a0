// An order of moments in which each comes after all that it depends on.
#pragma once

#include <vector>

#include "analyzer/replay/task_table.h"

namespace gputrace::analyzer {

// By recorded time; at one instant activities come before calls, since a call's end follows what it waited for, and then by number.
std::vector<Moment> order_moments(const TaskTable& tasks);

}  // namespace gputrace::analyzer
