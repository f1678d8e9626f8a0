// The critical path and what idle GPUs waited for, in sentences that every format shares. Plain text: formats escape it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

// "kernels: convolution 41.0 %, host between calls 22.3 %, ...": the five largest parts; "" where it is not known.
std::string critical_path_line(const analyzer::Diagnosis& diagnosis);

// "GPU 2 could end 1.20 ms later, GPU 3 2.41 ms": those that are not on the path, the nearest first; "" where all are, or none is known.
std::string near_paths_line(const analyzer::Diagnosis& diagnosis);

// "GPU 0, idle 45.4 % of the window: host between calls 30.1 % (in step), launch latency 4.2 %": per used GPU that was idle for at
// least a hundredth, with its five largest reasons.
std::vector<std::string> idle_lines(const analyzer::Diagnosis& diagnosis);

}  // namespace gputrace::reports
