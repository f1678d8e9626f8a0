#include "analyzer/kernel_share.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/gain.h"

namespace gputrace::analyzer {
namespace {

struct Sum {
  std::int64_t ns = 0, calls = 0, all_ns = 0;
  std::map<std::uint32_t, std::int64_t> by_name;
};

void add_evidence(KernelShare& share, const RuleInput& input, KernelTest is_meant) {
  const trace::Kernels& kernels = input.trace.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels.device[i] != share.device || !input.metrics.holds(kernels.span(i))) continue;
    const Explanation& kernel = input.metrics.kernels.of(kernels.name[i]);
    if (is_meant(kernel)) add_keeping_longest(share.evidence, {kernels.span(i), share.device, kernel.label});
  }
  keep_longest(share.evidence);
}

}  // namespace

KernelShare kernel_share(const RuleInput& input, KernelTest is_meant) {
  const trace::Kernels& kernels = input.trace.kernels;
  std::map<trace::DeviceId, Sum> sums;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!input.metrics.holds(kernels.span(i)) || input.metrics.is_communication[kernels.name[i].value]) continue;
    Sum& sum = sums[kernels.device[i]];
    const std::int64_t ns = kernels.span(i).duration_ns();
    sum.all_ns += ns;
    if (!is_meant(input.metrics.kernels.of(kernels.name[i]))) continue;
    sum.ns += ns;
    ++sum.calls;
    sum.by_name[kernels.name[i].value] += ns;
  }
  KernelShare share;
  const auto most = std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  if (most == sums.end() || most->second.calls == 0) return share;
  share.device = most->first;
  share.ns = most->second.ns;
  share.calls = most->second.calls;
  share.all_ns = most->second.all_ns;
  std::map<std::string, std::int64_t> by_label;
  for (const auto& [name, ns] : most->second.by_name) by_label[input.metrics.kernels.of(trace::StringId{name}).label] += ns;
  share.by_label.assign(by_label.begin(), by_label.end());
  std::stable_sort(share.by_label.begin(), share.by_label.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  add_evidence(share, input, is_meant);
  return share;
}

std::string largest_labels(const KernelShare& share) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, share.by_label.size()); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", share.by_label[i].first,
                        percent(static_cast<double>(share.by_label[i].second) / static_cast<double>(share.all_ns)));
  }
  return text;
}

Applied leave_out_kernels(const RemedyInput& input, ChangedGraph& graph, KernelTest is_meant, const char* what) {
  Applied applied;
  for (Task task = 0; task < input.graph.task_count(); ++task) {
    if (input.graph.kind[task] != TaskKind::kernel) continue;
    if (!is_meant(input.metrics.kernels.of(input.trace.kernels.name[input.graph.row[task]]))) continue;
    graph.leave_out_activity(task);
    if (const auto call = input.graph.asked_by(task)) graph.leave_out_call(*call);
    ++applied.count;
  }
  applied.what = fmt::format("{} {} are left out, with the calls that ask for them", applied.count, what);
  return applied;
}

}  // namespace gputrace::analyzer
