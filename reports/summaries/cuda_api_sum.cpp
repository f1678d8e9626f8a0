// Time on the host by CUDA API function.
#include <string_view>

#include "reports/summary.h"
#include "reports/value_groups.h"

namespace gputrace::reports {
namespace {

// "cudaLaunchKernel_v7000" is one function with "cudaLaunchKernel" to its users: the suffix is the version of its ABI.
std::string_view without_version(std::string_view name) {
  constexpr std::size_t kSuffix = 6;
  if (name.size() <= kSuffix || name.substr(name.size() - kSuffix, 2) != "_v") return name;
  const std::string_view digits = name.substr(name.size() - kSuffix + 2);
  return digits.find_first_not_of("0123456789") == std::string_view::npos ? name.substr(0, name.size() - kSuffix) : name;
}

SummaryTable make(const trace::Trace& trace) {
  if (!trace.has(trace::Table::api_calls)) return {.columns = {}, .rows = {}, .missing = "no API calls in the trace"};
  const trace::ApiCalls& calls = trace.api_calls;
  const auto groups = group_rows(calls.name, [&](std::size_t i) { return calls.span(i).duration_ns(); },
                                 [&](trace::StringId name) { return without_version(trace.text(name)); });
  return time_summary(groups, trace.span().duration_ns(), "Num Calls", "Name");
}

}  // namespace

extern const Summary cuda_api_sum{"cuda_api_sum", "api", "CUDA API calls on the host", make};

}  // namespace gputrace::reports
