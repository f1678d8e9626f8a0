// Small graphs of odd sizes that launch every GPU kernel: what is checked on a real GPU (kernel_check.cpp) and, with the same
// computations on the host, in the tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trainer/graph.h"

namespace trainer::cuda {

struct KernelCase {
  std::string name;  // "convolution, NHWC, stride 2"
  // Adds the ops. What they read and no op computes, the caller fills: with class indices from 0 to 6 where the tensor's name is
  // "labels", else with values of this range.
  std::function<void(Graph&)> build;
  float lowest = -1, highest = 1;
};

std::vector<KernelCase> kernel_cases();

}  // namespace trainer::cuda
