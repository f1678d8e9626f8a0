// How much of a GPU's kernel time the kernels take that a rule is about, and what leaving them out does.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/remedy.h"
#include "analyzer/rule.h"

namespace gputrace::analyzer {

using KernelTest = bool (*)(const Explanation& kernel);

struct KernelShare {  // on the GPU on which they take most, in the window
  trace::DeviceId device{};
  std::int64_t ns = 0, calls = 0;
  std::int64_t all_ns = 0;  // of all its kernels but collectives; kernels side by side count each
  std::vector<std::pair<std::string, std::int64_t>> by_label;  // ns, the largest first
  std::vector<Evidence> evidence;
  double share() const { return all_ns > 0 ? static_cast<double>(ns) / static_cast<double>(all_ns) : 0; }
};
KernelShare kernel_share(const RuleInput& input, KernelTest is_meant);

// "eigen: y = pad(x) (21.8 %), eigen: y = bcast(x) (20.2 %)": at most three, of all kernel time.
std::string largest_labels(const KernelShare& share);

// The kernels and the calls that ask for them go.
Applied leave_out_kernels(const RemedyInput& input, ChangedGraph& graph, KernelTest is_meant, const char* what);

}  // namespace gputrace::analyzer
